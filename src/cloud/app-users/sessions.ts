/** Sessions of app users: opened, refreshed and ended (docs/decisions/0076). */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '#app'
import type { CloudKey, LiveCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidOfHex, uuidv7 } from '#platform/ids'
import type { Signer } from '#platform/secrets'
import { accessTokenSeconds, signAccessToken } from './access-token.ts'
import { deleteSessions, insertSession, lockSession, type SessionRow, writeUse } from './session-store.ts'
import { findUser, type UserRow, updateUser } from './store.ts'
import { changeUsers, type UsersTx } from './users-database.ts'

type Parts = Pick<App, 'config' | 'clock' | 'secrets' | 'appUsers'>

/** What a client keeps. */
export interface OpenSession {
  accessToken: string
  expiresIn: number
  /** Unix seconds. */
  expiresAt: number
  refreshToken: string
  user: UserRow
}

/** A session in the transaction that signs in; `issue` makes its tokens when it has committed. */
export interface BegunSession {
  session: SessionRow
  user: UserRow
}

const refreshPurpose = 'app user refresh token'
/** Within this time a token that was used is answered with the same successor: two tabs, or an answer that was lost. */
const againMs = 10_000
/** More refreshes of one session within that time are no client's. */
const mostUses = 20

/** Signs a user in, who is not blocked. Whose database a row came from says nothing of which cloud it is. */
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
  // No code of the app runs then, which might write more than a session is.
  if (tx.readOnlyWhy) return { session, user }
  return { session, user: await updateUser(tx, user, { last_sign_in_at: now, updated_at: user.updated_at }) }
}

export function requireUnblocked({ banned_until }: UserRow, now: Date): void {
  if (banned_until && banned_until > now) fail('APP_USER_BLOCKED', {})
}

/** The tokens of a session that is committed. */
export async function issue(
  app: Parts,
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

/** How the user signs in stands first; an app's own members beside it. */
export const appMetadataOf = ({ is_anonymous, app_metadata }: UserRow): Record<string, unknown> =>
  is_anonymous ? { ...app_metadata } : { provider: 'email', providers: ['email'], ...app_metadata }

const idBytes = 16
const generationBytes = 4
const macBytes = 16

/** The session, the number of the token, and what only this platform can compute of the two for this cloud. */
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
  app: Parts,
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
 * Gives the successor of a refresh token. Used again within ten seconds it has the same successor; later the session is ended, since
 * one of the two who have it has stolen it. Throws APP_USER_REFRESH_INVALID, APP_USER_REFRESH_REUSED, APP_USER_BLOCKED and APP_USER_THROTTLED.
 */
export async function refreshSession(app: App, cloud: LiveCloud, token: string): Promise<OpenSession> {
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
  return refreshed ? issue(app, cloud, refreshed) : fail('APP_USER_REFRESH_REUSED', {})
}

/** The number of the successor; undefined for a token that was used too long ago, or never given. */
async function useToken(
  tx: Tx,
  session: SessionRow,
  generation: number,
  now: Date,
): Promise<number | undefined> {
  const nowMs = now.getTime()
  const recent = session.recent_uses.filter(({ at }) => Math.abs(nowMs - at) < againMs)
  if (generation !== session.generation)
    return recent.some((use) => use.generation === generation) ? generation + 1 : undefined
  if (recent.length >= mostUses) fail('APP_USER_THROTTLED', { minutes: 1 }, { retryAfterMs: againMs })
  const recent_uses = [...recent, { generation, at: nowMs }]
  await writeUse(tx, session, { generation: generation + 1, recent_uses, refreshed_at: now })
  return generation + 1
}

/** Every process learns of it when the transaction commits. */
export async function endSessions(
  tx: UsersTx,
  cloud: CloudKey,
  userId: string,
  which: { only?: string; except?: string } = {},
): Promise<void> {
  await deleteSessions(tx, cloud, userId, which)
  tx.ended.add(userId)
}
