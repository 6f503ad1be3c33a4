/** Sessions of app users: opened, refreshed and ended (docs/decisions/cloud/app-users.md). */
import { timingSafeEqual } from 'node:crypto'
import type { CloudKey, LiveCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidOfHex, uuidv7 } from '#platform/ids'
import type { Signer } from '#platform/secrets'
import { accessTokenSeconds, signAccessToken } from './access-token.ts'
import type { AppSignInApp } from './app.ts'
import { deleteSessions, insertSession, lockSession, type SessionRow, writeUse } from './session-store.ts'
import { findUser, type UserRow, updateUser } from './store.ts'
import { changeUsers, type UsersTx } from './users-database.ts'

type SessionDependencies = Pick<AppSignInApp, 'config' | 'clock' | 'secrets' | 'appUsers'>

/** A session as its client keeps it. */
export interface OpenSession {
  accessToken: string
  expiresIn: number
  /** Unix seconds. */
  expiresAt: number
  refreshToken: string
  user: UserRow
}

/** A session in the transaction that signs in; `issueTokens` makes its tokens when it has committed. */
export interface BegunSession {
  session: SessionRow
  user: UserRow
}

const refreshPurpose = 'app user refresh token'
/** Within this time a used token is answered with the same successor: two tabs may have used it, or an answer was lost. */
const reuseGraceMs = 10_000
/** No genuine client refreshes one session more often within `reuseGraceMs`. */
const maxRecentUses = 20

/** Begins a session of a user, who must not be blocked. The cloud is a parameter, since the user's row does not prove to which cloud it belongs. */
export async function beginSession(
  tx: UsersTx,
  { accountId, cloudId }: CloudKey,
  user: UserRow,
  method: string,
  now: Date,
): Promise<BegunSession> {
  requireUnblocked(user, now)
  const session: SessionRow = {
    account_id: accountId,
    cloud_id: cloudId,
    session_id: uuidv7(now.getTime()),
    user_id: user.user_id,
    method,
    generation: 0,
    recent_uses: [],
    created_at: now,
    refreshed_at: now,
  }
  await insertSession(tx, session)
  // Without the update no code of the app runs, which might write more than a session.
  if (tx.readOnlyWhy) return { session, user }
  return { session, user: await updateUser(tx, user, { last_sign_in_at: now, updated_at: user.updated_at }) }
}

export function requireUnblocked({ banned_until }: UserRow, now: Date): void {
  if (banned_until && banned_until > now) fail('APP_USER_BLOCKED', {})
}

/** Makes the tokens of a session that is committed. */
export async function issueTokens(
  app: SessionDependencies,
  cloud: LiveCloud,
  { session, user }: BegunSession,
): Promise<OpenSession> {
  const signer = await app.secrets.signer(refreshPurpose)
  const key = await app.appUsers.signingKey(cloud)
  const subject = {
    userId: user.user_id,
    sessionId: session.session_id,
    email: user.email,
    isAnonymous: user.is_anonymous,
    appMetadata: appMetadataOf(user),
    userMetadata: user.user_metadata,
    method: session.method,
    signedInAt: session.created_at,
  }
  const { token, expiresAt } = signAccessToken(app.config, cloud, key, subject, app.clock.nowMs())
  const refreshToken = refreshTokenOf(signer, cloud, session)
  return { accessToken: token, expiresIn: accessTokenSeconds, expiresAt, refreshToken, user }
}

/** Returns how the user signs in, followed by the app's own members. */
export const appMetadataOf = ({ is_anonymous, app_metadata }: UserRow): Record<string, unknown> =>
  is_anonymous ? { ...app_metadata } : { provider: 'email', providers: ['email'], ...app_metadata }

const idBytes = 16
const generationBytes = 4
const macBytes = 16

/** Returns the session's id, the token's number and a MAC of the two for this cloud, which only this platform can compute. */
function refreshTokenOf(
  signer: Signer,
  cloud: CloudKey,
  { session_id, generation }: Pick<SessionRow, 'session_id' | 'generation'>,
): string {
  const head = Buffer.alloc(idBytes + generationBytes)
  head.write(session_id.replaceAll('-', ''), 'hex')
  head.writeUInt32BE(generation, idBytes)
  return Buffer.concat([head, macOf(signer, cloud, head)]).toString('base64url')
}

const macOf = (signer: Signer, { accountId, cloudId }: CloudKey, head: Buffer): Buffer =>
  signer(Buffer.concat([Buffer.from(`${accountId}/${cloudId}/`), head])).subarray(0, macBytes)

async function readRefreshToken(
  app: SessionDependencies,
  cloud: CloudKey,
  token: string,
): Promise<{ sessionId: string; generation: number } | undefined> {
  const signer = await app.secrets.knownSigner(refreshPurpose)
  if (!signer || token.length > 100) return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== idBytes + generationBytes + macBytes || bytes.toString('base64url') !== token)
    return undefined
  const head = bytes.subarray(0, idBytes + generationBytes)
  if (!timingSafeEqual(bytes.subarray(head.length), macOf(signer, cloud, head))) return undefined
  const sessionId = uuidOfHex(head.toString('hex', 0, idBytes))
  return { sessionId, generation: head.readUInt32BE(idBytes) }
}

/**
 * Returns a session with the successor of a refresh token. A token used again within ten seconds has the same successor; later use ends the session,
 * since one of two users has stolen the token. Throws APP_USER_REFRESH_INVALID, APP_USER_REFRESH_REUSED, APP_USER_BLOCKED and APP_USER_THROTTLED.
 */
export async function refreshSession(
  app: AppSignInApp,
  cloud: LiveCloud,
  token: string,
): Promise<OpenSession> {
  const named = await readRefreshToken(app, cloud, token)
  if (!named) fail('APP_USER_REFRESH_INVALID', {})
  const now = new Date(app.clock.nowMs())
  const refreshed = await changeUsers(app, cloud, async (tx) => {
    const session = await lockSession(tx, cloud, named.sessionId)
    const user = session && (await findUser(tx, cloud, session.user_id))
    if (!session || !user) fail('APP_USER_REFRESH_INVALID', {})
    requireUnblocked(user, now)
    const next = await useToken(tx, session, named.generation, now)
    if (next) return { session: { ...session, generation: next }, user }
    await endSessions(tx, cloud, user.user_id, { only: session.session_id })
    return undefined
  })
  return refreshed ? issueTokens(app, cloud, refreshed) : fail('APP_USER_REFRESH_REUSED', {})
}

/** Returns the number of the successor; undefined for a token that was used too long ago, or never issued. */
async function useToken(
  tx: Tx,
  session: SessionRow,
  generation: number,
  now: Date,
): Promise<number | undefined> {
  const nowMs = now.getTime()
  const recent = session.recent_uses.filter(({ at }) => Math.abs(nowMs - at) < reuseGraceMs)
  if (generation !== session.generation)
    return recent.some((use) => use.generation === generation) ? generation + 1 : undefined
  if (recent.length >= maxRecentUses)
    fail('APP_USER_THROTTLED', { minutes: 1 }, { retryAfterMs: reuseGraceMs })
  const recent_uses = [...recent, { generation, at: nowMs }]
  await writeUse(tx, session, { generation: generation + 1, recent_uses, refreshed_at: now })
  return generation + 1
}

/** Ends sessions of a user; every process is notified when the transaction commits. */
export async function endSessions(
  tx: UsersTx,
  cloud: CloudKey,
  userId: string,
  which: { only?: string; except?: string } = {},
): Promise<void> {
  await deleteSessions(tx, cloud, userId, which)
  tx.ended.add(userId)
}
