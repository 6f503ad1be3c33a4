/** Sign-up with address and password, and without either (docs/decisions/cloud/app-users.md). */

import { inConstantTime, networkOf } from '#account/sign-in'
import type { LiveCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidOfHex } from '#platform/ids'
import type { Signer } from '#platform/secrets'
import type { AppSignInApp } from './app.ts'
import { countAttempt } from './attempts.ts'
import { readEmail, readPassword } from './credentials.ts'
import { queueMail } from './mails.ts'
import { mergeMetadata } from './metadata.ts'
import { newUser, pendingUntil } from './new-user.ts'
import { addToken, type Challenge, tokenSigner } from './one-time.ts'
import { readRedirect } from './redirect.ts'
import { beginSession, issueTokens, type OpenSession } from './sessions.ts'
import {
  countAnonymous,
  insertUser,
  lockByEmail,
  lockCloud,
  type Metadata,
  type UserRow,
  updateUser,
} from './store.ts'
import { changeUsers } from './users-database.ts'

export interface SignUpOptions {
  email: unknown
  password: string
  metadata: unknown
  redirectTo: string | null
  challenge: Challenge | undefined
}

/** `pending` where addresses are confirmed by mail: nobody is signed in yet. */
export type SignUpResult = { session: OpenSession } | { pending: UserRow }

/**
 * Throws APP_USER_SIGNUP_DISABLED, CLOUD_READ_ONLY, APP_USER_EMAIL_INVALID, APP_USER_PASSWORD_WEAK, APP_USER_INVALID, APP_USER_REDIRECT_REFUSED,
 * APP_USER_THROTTLED, APP_USERS_BUSY, APP_USER_LIMIT, APP_USER_MAIL_LIMIT; and where no mails are sent APP_USER_EXISTS.
 */
export async function signUp(
  app: AppSignInApp,
  cloud: LiveCloud,
  options: SignUpOptions,
  clientAddress: string,
): Promise<SignUpResult> {
  requireOpen(cloud)
  const email = readEmail(options.email)
  const password = readPassword(options.password)
  const metadata = mergeMetadata({}, options.metadata)
  const redirectTo = app.mail ? await readRedirect(app, cloud, options.redirectTo) : null
  await countAttempt(app, cloud, [{ kind: 'sign_up_network', of: networkOf(clientAddress) }])
  const passwordHash = await app.appUsers.passwords.hash(cloud.cloudId, password)
  const { challenge } = options
  const unconfirmed = { email, passwordHash, metadata, redirectTo, challenge }
  if (app.mail) return { pending: await inConstantTime(() => requestConfirmation(app, cloud, unconfirmed)) }
  const now = new Date(app.clock.nowMs())
  const known = { email, password_hash: passwordHash, user_metadata: metadata, email_confirmed_at: now }
  return { session: await signInNew(app, cloud, newUser(cloud, now, known), 'password', now) }
}

/** Refuses every address alike, before any is looked up. */
function requireOpen({ disableSignup, readOnlyWhy }: LiveCloud): void {
  if (disableSignup) fail('APP_USER_SIGNUP_DISABLED', {})
  if (readOnlyWhy) fail('CLOUD_READ_ONLY', { why: readOnlyWhy })
}

/** Signs in a new user without address and password. Throws what `signUp` does, APP_USER_ANONYMOUS_OFF and APP_USER_ANONYMOUS_LIMIT. */
export async function signInAnonymously(
  app: AppSignInApp,
  cloud: LiveCloud,
  metadata: unknown,
  clientAddress: string,
): Promise<OpenSession> {
  requireOpen(cloud)
  if (!cloud.anonymousSignIns) fail('APP_USER_ANONYMOUS_OFF', {})
  const user_metadata = mergeMetadata({}, metadata)
  await countAttempt(app, cloud, [{ kind: 'sign_up_network', of: networkOf(clientAddress) }])
  const now = new Date(app.clock.nowMs())
  return signInNew(app, cloud, newUser(cloud, now, { is_anonymous: true, user_metadata }), 'anonymous', now)
}

async function signInNew(
  app: AppSignInApp,
  cloud: LiveCloud,
  user: UserRow,
  method: string,
  now: Date,
): Promise<OpenSession> {
  const begun = await changeUsers(app, cloud, async (tx) => {
    if (user.is_anonymous) await requireRoomForAnonymous(tx, cloud)
    const made = await insertUser(tx, user, cloud.limits.users)
    return beginSession(tx, cloud, made, method, now)
  })
  return issueTokens(app, cloud, begun)
}

/** Keeps half of the places for people with an address, so that filling a cloud with anonymous users shuts nobody else out. */
async function requireRoomForAnonymous(tx: Tx, cloud: LiveCloud): Promise<void> {
  await lockCloud(tx, cloud)
  const max = Math.floor(cloud.limits.users / 2)
  if ((await countAnonymous(tx, cloud)) >= max) fail('APP_USER_ANONYMOUS_LIMIT', { max })
}

interface PendingSignUp {
  email: string
  passwordHash: string
  metadata: Metadata
  redirectTo: string | null
  challenge: Challenge | undefined
}

/**
 * Gives the same answer in the same time, with a mail, whether the address is new, awaits confirmation, or has an account; only the text of the mail
 * differs, which the owner of the address reads. The link sets the password of the request that it was made for: two people who sign up with one
 * address cannot set it for each other.
 */
async function requestConfirmation(
  app: AppSignInApp,
  cloud: LiveCloud,
  options: PendingSignUp,
): Promise<UserRow> {
  const { email, passwordHash, metadata } = options
  const now = new Date(app.clock.nowMs())
  const [signer, nobody] = [await tokenSigner(app), await app.secrets.signer('app user who is shown')]
  const shown = { email, user_metadata: metadata }
  return changeUsers(app, cloud, async (tx) => {
    const max = cloud.limits.users
    if ((await lockCloud(tx, cloud)) >= max) fail('APP_USER_LIMIT', { max })
    const known = await lockByEmail(tx, cloud, email)
    if (known?.email_confirmed_at) {
      await queueMail(app, tx, cloud, { address: email, kind: 'exists' }, now)
      return newUser(cloud, now, { ...shown, user_id: placeholderUserId(nobody, cloud, email) })
    }
    const user =
      known ??
      newUser(cloud, now, { ...shown, password_hash: passwordHash, pending_until: pendingUntil(now) })
    if (known) await extendPending(tx, known, now)
    else await insertUser(tx, user, max)
    const token = await addToken(tx, cloud, signer, user, tokenOf(options), now)
    await queueMail(app, tx, cloud, { address: email, kind: 'signup', tokenId: token.token_id }, now)
    return newUser(cloud, now, { ...shown, user_id: user.user_id })
  })
}

const tokenOf = ({ email, passwordHash, metadata, redirectTo, challenge }: PendingSignUp) => ({
  purpose: 'signup' as const,
  ...{ email, redirectTo, challenge, passwordHash, userMetadata: metadata },
})

const extendPending = (tx: Tx, user: UserRow, now: Date) =>
  user.pending_until === null
    ? user
    : updateUser(tx, user, { pending_until: pendingUntil(now), updated_at: user.updated_at })

/** Returns always the same id for an address, as that of a pending user would be. */
function placeholderUserId(signer: Signer, { accountId, cloudId }: LiveCloud, email: string): string {
  const bytes = signer(Buffer.from(`${accountId}/${cloudId}/${email}`)).subarray(0, 16)
  bytes[6] = 0x40 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return uuidOfHex(bytes.toString('hex'))
}
