/** What the developer of an app does with its users: by the service key, the project's key or the command line. */
import type { LiveCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { deletePendingBlobs } from '#platform/storage'
import type { UserAdminApp, UserRemovalApp, UsersApp } from './app.ts'
import { readEmail, readPassword } from './credentials.ts'
import { deleteFiles } from './delete-files.ts'
import { requireMail } from './links.ts'
import { queueMail } from './mails.ts'
import { mergeMetadata } from './metadata.ts'
import { newUser } from './new-user.ts'
import { addToken, linkPageUrl, type TokenSecret, tokenSigner } from './one-time.ts'
import { readRedirect } from './redirect.ts'
import { endSessions } from './sessions.ts'
import type { UserChange, UserRow } from './store.ts'
import * as store from './store.ts'
import { deleteTokens, type Purpose, type TokenRow } from './token-store.ts'
import { changeUsers, readUsers, type UsersCloud } from './users-database.ts'

/** Stands for "forever", as a date that common clients can parse. */
const forever = new Date('9999-12-31T00:00:00Z')

/** Throws APP_USER_NOT_FOUND. */
export async function requireUser(
  app: Pick<UsersApp, 'db' | 'databases' | 'log'>,
  cloud: UsersCloud,
  userId: string,
  more: { param?: string } = {},
): Promise<UserRow> {
  const found = isUuid(userId)
    ? await readUsers(app, cloud, (reader) => store.findUser(reader, cloud, userId))
    : undefined
  return found ?? fail('APP_USER_NOT_FOUND', {}, more)
}

/** Writes what belongs to a change of a user in the platform's database: in its transaction, or in one just before it (`onPlatform`). */
export type Alongside = (tx: Tx) => Promise<void>

const nothing: Alongside = async () => {}

/** Blocks a user until a date, or ends the block (null). A block ends all sessions at once. Throws APP_USER_NOT_FOUND. */
export async function blockUser(
  app: UsersApp,
  cloud: UsersCloud,
  userId: string,
  { until = forever, alongside = nothing }: { until?: Date | null; alongside?: Alongside } = {},
): Promise<UserRow> {
  const now = new Date(app.clock.nowMs())
  const changed = await changeUsers(app, cloud, async (tx) => {
    const user = (await lockKnown(tx, cloud, userId)) ?? fail('APP_USER_NOT_FOUND', {})
    if (until) await endSessions(tx, cloud, user.user_id)
    const blocked = await store.updateUser(tx, user, { banned_until: until, updated_at: now })
    await tx.onPlatform(alongside)
    return blocked
  })
  return changed
}

const lockKnown = async (tx: Tx, cloud: UsersCloud, userId: string): Promise<UserRow | undefined> =>
  isUuid(userId) ? store.lockUser(tx, cloud, userId) : undefined

/** Deletes a user with sessions and private files; rows of tables stay, for the app may need them. Throws APP_USER_NOT_FOUND. */
export async function removeUser(
  app: UserRemovalApp,
  cloud: UsersCloud,
  userId: string,
  alongside = nothing,
): Promise<void> {
  if (!isUuid(userId)) fail('APP_USER_NOT_FOUND', {})
  if (!(await removeUserWhere(app, cloud, userId, async () => true, alongside)))
    fail('APP_USER_NOT_FOUND', {})
}

/** Deletes a user as `removeUser` does if `holds` returns true in the same transaction. Returns false if it does not, or if there is no such user. */
export async function removeUserWhere(
  app: UserRemovalApp,
  cloud: UsersCloud,
  userId: string,
  holds: (tx: Tx) => Promise<boolean>,
  alongside = nothing,
): Promise<boolean> {
  const keys = await changeUsers(app, cloud, async (tx) => {
    await store.lockCloud(tx, cloud)
    if (!(await holds(tx)) || !(await store.deleteUser(tx, cloud, userId))) return undefined
    await endSessions(tx, cloud, userId)
    await tx.onPlatform(alongside)
    return deleteFiles(app, tx, { ...cloud, userId })
  })
  if (!keys) return false
  // The rows of the files are deleted; bytes that are not deleted now are deleted later.
  if (keys.length > 0)
    await deletePendingBlobs(app, keys).catch((error: unknown) =>
      app.log.warn({ err: error }, 'files of an app user are deleted later'),
    )
  return true
}

export interface AdminUserOptions {
  /** The id of a new user, if rows of the app name it already. */
  id?: string | undefined
  email?: unknown
  password?: string | undefined
  /** The address counts as confirmed. */
  emailConfirmed?: boolean | undefined
  userMetadata?: unknown
  appMetadata?: unknown
  /** Null means that the user is not blocked. */
  bannedUntil?: Date | null | undefined
}

/**
 * Creates a user, which is kept even if the address is never confirmed. Throws APP_USER_EMAIL_INVALID, APP_USER_PASSWORD_WEAK, APP_USER_INVALID,
 * APP_USER_EXISTS, APP_USER_LIMIT and APP_USERS_BUSY.
 */
export async function createUser(
  app: UserAdminApp,
  cloud: LiveCloud,
  options: AdminUserOptions,
): Promise<UserRow> {
  const now = new Date(app.clock.nowMs())
  const user = newUser(cloud, now, {
    ...(options.id !== undefined && { user_id: options.id }),
    email: readEmail(options.email),
    password_hash: await hashPassword(app, cloud, options.password),
    email_confirmed_at: options.emailConfirmed || !app.mail ? now : null,
    user_metadata: mergeMetadata({}, options.userMetadata),
    app_metadata: mergeMetadata({}, options.appMetadata, 'appMetadata'),
    banned_until: options.bannedUntil ?? null,
  })
  return changeUsers(app, cloud, (tx) => store.insertUser(tx, user, cloud.limits.users))
}

const hashPassword = async (
  app: Pick<UsersApp, 'appUsers'>,
  { cloudId }: LiveCloud,
  password: string | undefined,
): Promise<string | null> =>
  password === undefined ? null : app.appUsers.passwords.hash(cloudId, readPassword(password))

/** Changes a user with immediate effect. Throws what `createUser` does, APP_USER_NOT_FOUND and APP_USER_EMAIL_TAKEN. */
export async function changeUser(
  app: UsersApp,
  cloud: LiveCloud,
  userId: string,
  options: AdminUserOptions,
): Promise<UserRow> {
  const email = options.email === undefined ? undefined : readEmail(options.email)
  const passwordHash = (await hashPassword(app, cloud, options.password)) ?? undefined
  const now = new Date(app.clock.nowMs())
  const isBlocked = options.bannedUntil !== undefined && options.bannedUntil !== null
  const changed = await changeUsers(app, cloud, async (tx) => {
    const user = (await lockKnown(tx, cloud, userId)) ?? fail('APP_USER_NOT_FOUND', {})
    if (passwordHash !== undefined || isBlocked) await endSessions(tx, cloud, userId)
    if (email !== undefined && email !== user.email)
      await deleteTokens(tx, cloud, userId, ['signup', 'invite', 'recovery', 'magiclink', 'email_change'])
    return store.updateUser(tx, user, changeOf(user, options, { email, passwordHash, now }))
  })
  return changed
}

function changeOf(
  user: UserRow,
  options: AdminUserOptions,
  { email, passwordHash, now }: { email: string | undefined; passwordHash: string | undefined; now: Date },
): UserChange & { updated_at: Date } {
  const isConfirmed = options.emailConfirmed ?? email !== undefined
  return {
    ...(email !== undefined && { email, new_email: null, is_anonymous: false }),
    ...(isConfirmed && { email_confirmed_at: user.email_confirmed_at ?? now, pending_until: null }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(options.bannedUntil !== undefined && { banned_until: options.bannedUntil }),
    user_metadata: mergeMetadata(user.user_metadata, options.userMetadata),
    app_metadata: mergeMetadata(user.app_metadata, options.appMetadata, 'appMetadata'),
    updated_at: now,
  }
}

export type LinkType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change'

export interface AdminLinkOptions {
  type: LinkType
  email: unknown
  newEmail?: unknown
  password?: string | undefined
  metadata?: unknown
  redirectTo: string | null
  alongside?: Alongside
}

export interface MadeLink extends TokenSecret {
  link: string
  user: UserRow
  type: LinkType
  redirectTo: string | null
  expiresAt: Date
}

/**
 * Makes a link that the developer delivers without a mail of this server. Creates the user where the kind of link allows it. Throws what `createUser`
 * does, APP_USER_NOT_FOUND and APP_USER_REDIRECT_REFUSED.
 */
export async function makeLink(
  app: UserAdminApp,
  cloud: LiveCloud,
  options: AdminLinkOptions,
): Promise<MadeLink> {
  const email = readEmail(options.email)
  const newEmail = options.type === 'email_change' ? readEmail(options.newEmail) : undefined
  const redirectTo = await readRedirect(app, cloud, options.redirectTo)
  const metadata = mergeMetadata({}, options.metadata)
  const passwordHash = await hashPassword(app, cloud, options.password)
  const signer = await tokenSigner(app)
  const now = new Date(app.clock.nowMs())
  const { user, token } = await changeUsers(app, cloud, async (tx) => {
    await store.lockCloud(tx, cloud)
    const known = await store.lockByEmail(tx, cloud, email)
    const mayBeNew = options.type === 'signup' || options.type === 'invite' || options.type === 'magiclink'
    if (!known && !mayBeNew) fail('APP_USER_NOT_FOUND', {})
    if (known?.email_confirmed_at && (options.type === 'signup' || options.type === 'invite'))
      fail('APP_USER_EXISTS', {})
    let user = known ?? newUser(cloud, now, { email, password_hash: passwordHash, user_metadata: metadata })
    if (!known) user = await store.insertUser(tx, user, cloud.limits.users)
    if (options.type === 'invite')
      user = await store.updateUser(tx, user, { invited_at: now, updated_at: now })
    if (newEmail !== undefined)
      user = await store.updateUser(tx, user, { new_email: newEmail, updated_at: now })
    const own =
      options.type === 'signup' ? { passwordHash: passwordHash ?? undefined, userMetadata: metadata } : {}
    const purpose: Purpose = options.type
    const made = await addToken(
      tx,
      cloud,
      signer,
      user,
      { purpose, email: newEmail ?? email, redirectTo, ...own },
      now,
    )
    await tx.onPlatform(options.alongside ?? nothing)
    return { user, token: made }
  })
  return { ...madeLink(app, cloud, token, user), type: options.type }
}

const madeLink = (
  app: Pick<UserAdminApp, 'config'>,
  cloud: LiveCloud,
  made: TokenRow & TokenSecret,
  user: UserRow,
): Omit<MadeLink, 'type'> => ({
  link: linkPageUrl(app, cloud, made.token),
  token: made.token,
  code: made.code,
  user,
  redirectTo: made.redirect_to,
  expiresAt: made.expires_at,
})

/** Invites somebody by mail. Throws what `makeLink` does, APP_USER_MAIL_OFF and APP_USER_MAIL_LIMIT. */
export async function inviteUser(
  app: UserAdminApp,
  cloud: LiveCloud,
  options: { email: unknown; metadata: unknown; redirectTo: string | null },
): Promise<UserRow> {
  requireMail(app)
  const email = readEmail(options.email)
  const redirectTo = await readRedirect(app, cloud, options.redirectTo)
  const metadata = mergeMetadata({}, options.metadata)
  const signer = await tokenSigner(app)
  const now = new Date(app.clock.nowMs())
  return changeUsers(app, cloud, async (tx) => {
    await store.lockCloud(tx, cloud)
    const known = await store.lockByEmail(tx, cloud, email)
    if (known?.email_confirmed_at) fail('APP_USER_EXISTS', {})
    const invited = newUser(cloud, now, { email, user_metadata: metadata, invited_at: now })
    const user = known ?? (await store.insertUser(tx, invited, cloud.limits.users))
    const { token_id: tokenId } = await addToken(
      tx,
      cloud,
      signer,
      user,
      { purpose: 'invite', email, redirectTo },
      now,
    )
    await queueMail(app, tx, cloud, { address: email, kind: 'invite', tokenId }, now)
    return known
      ? store.updateUser(tx, known, { invited_at: now, pending_until: null, updated_at: now })
      : user
  })
}
