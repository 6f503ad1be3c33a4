/** What a one-time token does when it is used. */

import { inConstantTime, networkOf, typedCode } from '#account/sign-in'
import type { LiveCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { sha256 } from '#platform/secrets'
import type { AppSignInApp } from './app.ts'
import { countAttempt } from './attempts.ts'
import { readEmail } from './credentials.ts'
import { isOwnToken, matchTokens, tokenSigner } from './one-time.ts'
import {
  type BegunSession,
  beginSession,
  issueTokens,
  type OpenSession,
  requireUnblocked,
} from './sessions.ts'
import { findByEmail, findByNewEmail, lockUser, type UserChange, type UserRow, updateUser } from './store.ts'
import {
  consumeToken,
  countWrongCode,
  deleteTokens,
  findTokenByHash,
  lockTokens,
  type Purpose,
  type TokenRow,
} from './token-store.ts'
import { changeUsers, readUsers, type UsersTx } from './users-database.ts'

/** Returns a token that is valid now; undefined for one that was used, has expired or never existed. */
export async function findOpenToken(
  app: AppSignInApp,
  cloud: LiveCloud,
  token: string,
  purposes: readonly Purpose[],
): Promise<TokenRow | undefined> {
  if (!isOwnToken(await tokenSigner(app), cloud, token)) return undefined
  const row = await readUsers(app, cloud, (reader) => findTokenByHash(reader, cloud, sha256(token)))
  const isOpen = row && purposes.includes(row.purpose) && row.expires_at.getTime() > app.clock.nowMs()
  return isOpen ? row : undefined
}

/**
 * Uses a token, once, and returns the user as it is afterwards. Throws APP_USER_LINK_INVALID, APP_USER_BLOCKED, and APP_USER_EMAIL_TAKEN where
 * another user got the new address meanwhile.
 */
export async function redeem(tx: Tx, cloud: LiveCloud, token: TokenRow, now: Date): Promise<UserRow> {
  const user = await lockUser(tx, cloud, token.user_id)
  if (!user || !(await consumeToken(tx, token))) fail('APP_USER_LINK_INVALID', {})
  requireUnblocked(user, now)
  const change = changeBy(token, user, now) ?? fail('APP_USER_LINK_INVALID', {})
  const changed = await updateUser(tx, user, { ...change, updated_at: now })
  const spent = obsoletePurposes(token.purpose)
  if (spent.length > 0) await deleteTokens(tx, cloud, user.user_id, spent)
  return changed
}

/** Returns the token's change; undefined where the user's address is no longer the token's, or is confirmed already. */
function changeBy(token: TokenRow, user: UserRow, now: Date): UserChange | undefined {
  const { purpose } = token
  if (purpose === 'pkce') return {}
  if (purpose === 'email_change')
    return token.email === user.new_email && token.email !== null
      ? { email: token.email, new_email: null, is_anonymous: false, ...confirmed(now) }
      : undefined
  if (token.email !== user.email || token.email === null) return undefined
  if (purpose === 'signup')
    return user.email_confirmed_at
      ? undefined
      : {
          ...confirmed(now),
          password_hash: token.password_hash ?? user.password_hash,
          user_metadata: token.user_metadata ?? user.user_metadata,
        }
  if (user.email_confirmed_at) return {}
  // Somebody may have signed up with this address and set a password that the owner of the address does not know.
  return { ...confirmed(now), ...(user.pending_until && { password_hash: null }) }
}

const confirmed = (now: Date) => ({ email_confirmed_at: now, pending_until: null })

/** Purposes whose tokens are no longer needed, or went to an address that is no longer the user's. */
const obsoletePurposes = (purpose: Purpose): Purpose[] =>
  purpose === 'email_change'
    ? ['signup', 'invite', 'recovery', 'magiclink', 'email_change']
    : purpose === 'pkce'
      ? []
      : ['signup', 'invite', purpose]

/** Uses a token and signs in. Throws what `redeem` does. */
export async function signInByToken(
  app: AppSignInApp,
  cloud: LiveCloud,
  token: TokenRow,
): Promise<OpenSession> {
  const now = new Date(app.clock.nowMs())
  const begun = await changeUsers(app, cloud, (tx) => beginSessionByToken(tx, cloud, token, now))
  return issueTokens(app, cloud, begun)
}

export const beginSessionByToken = async (
  tx: UsersTx,
  cloud: LiveCloud,
  token: TokenRow,
  now: Date,
): Promise<BegunSession> =>
  beginSession(
    tx,
    cloud,
    await redeem(tx, cloud, token, now),
    token.purpose === 'recovery' ? 'recovery' : 'otp',
    now,
  )

/** Purposes by the names that clients use for kinds of links; `email` stands for all that sign in by mail. */
const purposesOf: Readonly<Record<string, readonly Purpose[]>> = {
  signup: ['signup'],
  invite: ['invite'],
  magiclink: ['magiclink'],
  recovery: ['recovery'],
  email_change: ['email_change'],
  email: ['signup', 'magiclink', 'invite'],
}

export const isVerifyType = (type: string): boolean => Object.hasOwn(purposesOf, type)

/** Signs in by the token of a link, which the page of the app has sent. Throws APP_USER_LINK_INVALID and what `redeem` does. */
export async function verifyToken(
  app: AppSignInApp,
  cloud: LiveCloud,
  type: string,
  token: string,
): Promise<OpenSession> {
  const row = await findOpenToken(app, cloud, token, purposesOf[type] ?? [])
  return signInByToken(app, cloud, row ?? fail('APP_USER_LINK_INVALID', {}))
}

/**
 * Signs in by the code of a mail. An address without a code gets the same answer as a wrong one. Throws APP_USER_LINK_INVALID and APP_USER_THROTTLED.
 */
export async function verifyCode(
  app: AppSignInApp,
  cloud: LiveCloud,
  { type, email, code }: { type: string; email: unknown; code: string },
  clientAddress: string,
): Promise<OpenSession> {
  const address = readEmail(email)
  await countAttempt(app, cloud, [{ kind: 'code', of: networkOf(clientAddress) }])
  const now = new Date(app.clock.nowMs())
  const signer = await tokenSigner(app)
  const find = type === 'email_change' ? findByNewEmail : findByEmail
  const typed = { code, purposes: purposesOf[type] ?? [], signer, now }
  const begun = await inConstantTime(() =>
    changeUsers(app, cloud, async (tx) => {
      const user = await find(tx, cloud, address)
      if (!user || !(await lockUser(tx, cloud, user.user_id))) return undefined
      const token = await findTokenByCode(tx, cloud, user.user_id, typed)
      return token && beginSessionByToken(tx, cloud, token, now)
    }),
  )
  return issueTokens(app, cloud, begun ?? fail('APP_USER_LINK_INVALID', {}))
}

interface CodeOptions {
  code: string
  purposes: readonly Purpose[]
  signer: Awaited<ReturnType<typeof tokenSigner>>
  now: Date
}

/** Returns the user's token with this code; a wrong code is counted on all open tokens. The caller has locked the user. */
export async function findTokenByCode(
  tx: Tx,
  cloud: LiveCloud,
  userId: string,
  { code, purposes, signer, now }: CodeOptions,
): Promise<TokenRow | undefined> {
  const tokens = await lockTokens(tx, cloud, userId, purposes)
  const { open, found } = matchTokens(cloud, signer, tokens, typedCode(code), now)
  if (!found && open.length > 0) await countWrongCode(tx, open)
  return found
}
