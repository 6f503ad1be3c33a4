/** Access tokens of app users: JWTs (RFC 7519) that are signed by ES256 only, for one cloud and one purpose. */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { cloudUrl, type LiveCloud, type SigningKey } from '#cloud/clouds'
import type { Config } from '#platform/config'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { readJsonSync } from '#platform/json'

export const accessTokenSeconds = 60 * 60
const audience = 'authenticated'
const purpose = 'access'
/** Metadata is bounded so that a token passes the header lines of common proxies (8 KB). */
const maxTokenLength = 8_000
const encoding = 'ieee-p1363'

export type Claims = Readonly<Record<string, unknown>>

/** The user and session of a valid token. */
export interface AccessToken {
  userId: string
  sessionId: string
  claims: Claims
}

export interface Subject {
  userId: string
  sessionId: string
  email: string | null
  isAnonymous: boolean
  appMetadata: Claims
  userMetadata: Claims
  /** How the session began: `password`, `anonymous`, `otp` … */
  method: string
  signedInAt: Date
}

type CloudUrlConfig = Parameters<typeof cloudUrl>[0] & Pick<Config, 'apps'>

const issuerOf = (config: CloudUrlConfig, { ref }: Pick<LiveCloud, 'ref'>): string =>
  `${cloudUrl(config, ref)}/auth/v1`

/** Signs a token that is valid for an hour. */
export function signAccessToken(
  config: CloudUrlConfig,
  cloud: LiveCloud,
  { kid, privateKey }: { kid: string; privateKey: KeyObject },
  subject: Subject,
  nowMs: number,
): { token: string; expiresAt: number } {
  const issuedAt = Math.floor(nowMs / 1000)
  const expiresAt = issuedAt + accessTokenSeconds
  const claims = {
    iss: issuerOf(config, cloud),
    sub: subject.userId,
    aud: audience,
    exp: expiresAt,
    iat: issuedAt,
    ref: cloud.ref,
    purpose,
    role: 'authenticated',
    email: subject.email ?? '',
    phone: '',
    app_metadata: subject.appMetadata,
    user_metadata: subject.userMetadata,
    is_anonymous: subject.isAnonymous,
    session_id: subject.sessionId,
    aal: 'aal1',
    amr: [{ method: subject.method, timestamp: Math.floor(subject.signedInAt.getTime() / 1000) }],
  }
  const signed = `${encode({ alg: 'ES256', kid, typ: 'JWT' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: encoding })
  return { token: `${signed}.${signature.toString('base64url')}`, expiresAt }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The claims of tokens whose signature was verified, once for each token and key. */
export type CheckedTokens = Map<string, { kid: string; claims: Claims }>
const keptTokens = 1_000

/**
 * Checks everything but whether the session still exists. The key is looked up in this cloud alone and the algorithm is fixed, so that
 * a header can choose neither. Throws APP_USER_TOKEN_INVALID and APP_USER_TOKEN_EXPIRED.
 */
export function readAccessToken(
  config: CloudUrlConfig,
  cloud: LiveCloud,
  token: string,
  { nowMs, checked }: { nowMs: number; checked: CheckedTokens },
): AccessToken {
  const { kid, claims } = checked.get(token) ?? checkSignature(cloud, token)
  if (!cloud.signingKeys.some((key) => key.kid === kid)) fail('APP_USER_TOKEN_INVALID', {})
  const { sub: userId, session_id: sessionId, exp } = claims
  const isOurs =
    claims['iss'] === issuerOf(config, cloud) &&
    claims['aud'] === audience &&
    claims['ref'] === cloud.ref &&
    claims['purpose'] === purpose &&
    claims['role'] === 'authenticated'
  if (!isOurs || !isId(userId) || !isId(sessionId) || typeof exp !== 'number')
    fail('APP_USER_TOKEN_INVALID', {})
  cacheToken(checked, token, { kid, claims })
  if (exp * 1000 <= nowMs) fail('APP_USER_TOKEN_EXPIRED', {})
  return { userId, sessionId, claims }
}

const isId = (value: unknown): value is string => typeof value === 'string' && isUuid(value)

function cacheToken(checked: CheckedTokens, token: string, value: { kid: string; claims: Claims }): void {
  checked.delete(token)
  checked.set(token, value)
  if (checked.size > keptTokens) checked.delete(checked.keys().next().value!)
}

function checkSignature({ signingKeys }: LiveCloud, token: string): { kid: string; claims: Claims } {
  const parts = token.length > maxTokenLength ? [] : token.split('.', 4)
  const [head = '', body = '', signature = ''] = parts
  if (parts.length !== 3) fail('APP_USER_TOKEN_INVALID', {})
  const header = decode(head)
  const key = signingKeys.find(({ kid }) => kid === header?.['kid'])
  if (!header || !key || header['alg'] !== 'ES256' || 'crit' in header) fail('APP_USER_TOKEN_INVALID', {})
  const bytes = Buffer.from(signature, 'base64url')
  // Only one spelling of a signature is accepted: characters that base64 ignores would make many tokens of one.
  const isWhole = bytes.length === 64 && bytes.toString('base64url') === signature
  const signed = Buffer.from(`${head}.${body}`)
  if (!isWhole || !verify('sha256', signed, { key: publicKeyOf(key), dsaEncoding: encoding }, bytes))
    fail('APP_USER_TOKEN_INVALID', {})
  return { kid: key.kid, claims: decode(body) ?? fail('APP_USER_TOKEN_INVALID', {}) }
}

function decode(part: string): Claims | undefined {
  try {
    const value: unknown = readJsonSync(Buffer.from(part, 'base64url').toString('utf8'), { exact: true })
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Claims)
      : undefined
  } catch {
    return undefined
  }
}

/** Parsed keys by the keys of the cloud's entry in memory, and freed with it. */
const publicKeys = new WeakMap<SigningKey, KeyObject>()

function publicKeyOf(key: SigningKey): KeyObject {
  let found = publicKeys.get(key)
  if (!found) {
    found = createPublicKey({ key: key.publicJwk as never, format: 'jwk' })
    publicKeys.set(key, found)
  }
  return found
}
