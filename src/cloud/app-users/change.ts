/** Changes that a user makes to their own account. */

import { inConstantTime } from '#account/sign-in'
import type { LiveCloud } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { AppSignInApp, UsersApp } from './app.ts'
import { countAttempt } from './attempts.ts'
import { readEmail, readPassword } from './credentials.ts'
import { queueMail } from './mails.ts'
import { mergeMetadata } from './metadata.ts'
import { addToken, type Challenge, tokenSigner } from './one-time.ts'
import { findTokenByCode } from './redeem.ts'
import { readRedirect } from './redirect.ts'
import { endSessions } from './sessions.ts'
import { findByEmail, findUser, lockCloud, lockUser, type UserRow, updateUser } from './store.ts'
import { consumeToken, deleteTokens } from './token-store.ts'
import { changeUsers, readUsers, type UsersTx } from './users-database.ts'

export interface OwnChange {
  email?: unknown
  password?: string | undefined
  /** Members of the metadata; null removes one. */
  metadata?: unknown
  /** The code of a mail that was requested before; checked only where it is given. */
  nonce?: string | undefined
  redirectTo: string | null
  challenge: Challenge | undefined
}

/**
 * Changes an account and returns it as it is then. A new address waits for its confirmation where mails are sent. A new password ends all other
 * sessions. Throws APP_USER_EMAIL_INVALID, APP_USER_PASSWORD_WEAK, APP_USER_PASSWORD_SAME, APP_USER_INVALID, APP_USER_CODE_WRONG,
 * APP_USER_EMAIL_TAKEN, APP_USER_REDIRECT_REFUSED, APP_USER_MAIL_LIMIT, APP_USER_THROTTLED, APP_USERS_BUSY and APP_USER_SESSION_ENDED.
 */
export async function changeOwnAccount(
  app: AppSignInApp,
  cloud: LiveCloud,
  { userId, sessionId }: { userId: string; sessionId: string },
  change: OwnChange,
): Promise<UserRow> {
  const email = isGiven(change.email) ? readEmail(change.email) : undefined
  const password = change.password === undefined ? undefined : readPassword(change.password)
  const redirectTo =
    email !== undefined && app.mail ? await readRedirect(app, cloud, change.redirectTo) : null
  const passwordHash = password === undefined ? undefined : await newHash(app, cloud, userId, password)
  const signer = await tokenSigner(app)
  const now = new Date(app.clock.nowMs())
  const apply = async (tx: UsersTx): Promise<UserRow | undefined> => {
    if (email !== undefined) await lockCloud(tx, cloud)
    const user = (await lockUser(tx, cloud, userId)) ?? fail('APP_USER_SESSION_ENDED', {})
    if (change.nonce !== undefined && !(await takeNonce(tx, cloud, userId, change.nonce, { signer, now })))
      return undefined
    const metadata = mergeMetadata(user.user_metadata, change.metadata)
    const kept = await updateUser(tx, user, {
      user_metadata: metadata,
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      updated_at: now,
    })
    if (passwordHash !== undefined) await revokeOtherAccess(tx, cloud, user, sessionId)
    if (email === undefined || email === user.email) return kept
    return changeAddress(app, tx, cloud, kept, {
      email,
      redirectTo,
      challenge: change.challenge,
      signer,
      now,
    })
  }
  const run = () => changeUsers(app, cloud, apply)
  const changed = await (email === undefined ? run() : inConstantTime(run))
  // The transaction commits for a wrong code too, so that the wrong code is counted.
  return changed ?? fail('APP_USER_CODE_WRONG', {})
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

async function newHash(app: UsersApp, cloud: LiveCloud, userId: string, password: string): Promise<string> {
  await countAttempt(app, cloud, [{ kind: 'password_change', of: userId }])
  const user = await readUsers(app, cloud, (reader) => findUser(reader, cloud, userId))
  const { passwords } = app.appUsers
  if (user?.password_hash && (await passwords.matches(cloud.cloudId, password, user.password_hash)))
    fail('APP_USER_PASSWORD_SAME', {})
  return passwords.hash(cloud.cloudId, password)
}

type CodeOptions = Parameters<typeof findTokenByCode>[3]

async function takeNonce(
  tx: UsersTx,
  cloud: LiveCloud,
  userId: string,
  code: string,
  { signer, now }: Pick<CodeOptions, 'signer' | 'now'>,
): Promise<boolean> {
  const found = await findTokenByCode(tx, cloud, userId, {
    code,
    purposes: ['reauthentication'],
    signer,
    now,
  })
  return found !== undefined && consumeToken(tx, found)
}

/** Ends other sessions and open links: whoever signed in or requested a link may have known the old password. */
async function revokeOtherAccess(
  tx: UsersTx,
  cloud: LiveCloud,
  user: UserRow,
  sessionId: string,
): Promise<void> {
  await endSessions(tx, cloud, user.user_id, { except: sessionId })
  await deleteTokens(tx, cloud, user.user_id, ['recovery', 'magiclink'])
}

interface NewAddress extends Pick<CodeOptions, 'signer' | 'now'> {
  email: string
  redirectTo: string | null
  challenge: Challenge | undefined
}

/** Begins a change of address. Where another user has it, that user gets a mail and the answer is the same. */
async function changeAddress(
  app: Pick<AppSignInApp, 'jobs' | 'mail'>,
  tx: UsersTx,
  cloud: LiveCloud,
  user: UserRow,
  { email, redirectTo, challenge, signer, now }: NewAddress,
): Promise<UserRow> {
  if (!app.mail) {
    await deleteTokens(tx, cloud, user.user_id, ['recovery', 'magiclink', 'signup', 'invite'])
    return updateUser(tx, user, {
      ...{ email, new_email: null, email_confirmed_at: now, is_anonymous: false, updated_at: now },
    })
  }
  const isTaken = (await findByEmail(tx, cloud, email)) !== undefined
  if (isTaken) await queueMail(app, tx, cloud, { address: email, kind: 'exists' }, now)
  else {
    const options = { purpose: 'email_change' as const, email, redirectTo, challenge }
    const { token_id: tokenId } = await addToken(tx, cloud, signer, user, options, now)
    await queueMail(app, tx, cloud, { address: email, kind: 'email_change', tokenId }, now)
  }
  if (user.email !== null) await queueMail(app, tx, cloud, { address: user.email, kind: 'changed' }, now)
  return updateUser(tx, user, { new_email: email, updated_at: now })
}

/** `global`: every session of the user; `local`: this one; `others`: all but this one. */
export type SignOutScope = 'global' | 'local' | 'others'

export async function signOut(
  app: UsersApp,
  cloud: LiveCloud,
  { userId, sessionId }: { userId: string; sessionId: string },
  scope: SignOutScope,
): Promise<void> {
  const which = { global: {}, local: { only: sessionId }, others: { except: sessionId } }[scope]
  await changeUsers(app, cloud, (tx) => endSessions(tx, cloud, userId, which))
}
