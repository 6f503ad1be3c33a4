/** New API keys and client secrets, their hashes, and the vault that encrypts what the database must not show. */
import { hash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62, randomBase62, secretPrefixes } from '#platform/ids'

export { otherKey } from './phrases.ts'
export { isSealed, type Signer } from './seal.ts'
export { examineSeal, openSecrets, type SealState, type Secrets, type SecretsOptions } from './vault.ts'

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')

/** A client secret: `ek_` and 43 random base62 characters (256 bits). */
export const newClientSecret = (): string => secretPrefixes.client + randomBase62(43)

/** False for text that cannot be a client secret; needs no database query. */
export const couldBeClientSecret = (secret: string): boolean => /^ek_[0-9A-Za-z]{43}$/.test(secret)

/** Whether a header `Authorization` carries this token. Compares in constant time, so that the duration reveals nothing about the token. */
export const isBearerToken = (authorization: string | undefined, token: string): boolean =>
  timingSafeEqual(sha256(authorization?.replace(/^Bearer /i, '') ?? ''), sha256(token))

/** A new secret: its prefix (`khr_` for a project key), 43 random base62 characters (256 bits), 6 of checksum. */
export function newKeySecret(prefix: Exclude<keyof typeof secretPrefixes, 'client'> = 'key'): string {
  const body = randomBase62(43)
  return secretPrefixes[prefix] + body + checksum(body)
}

/**
 * False for text that cannot be a key; needs no database query. The checksum of generated keys is for secret scanners; it is not checked here, since
 * an operator's own key (KHERAD_BOOTSTRAP_KEY, at least 32 characters) has none.
 */
export function couldBeKey(secret: string): boolean {
  if (!secret.startsWith(secretPrefixes.key)) return false
  const body = secret.slice(secretPrefixes.key.length)
  if (body.length < 32 || body.length > 200) return false
  return /^[!-~]+$/.test(body)
}

/** False for text that cannot be a management key; needs no database query. */
export const couldBeManagementKey = (secret: string): boolean => /^khm_[0-9A-Za-z]{49}$/.test(secret)

/** False for text that cannot be the token of a browser's session; needs no database query. */
export const couldBeSession = (token: string): boolean => /^khb_[0-9A-Za-z]{49}$/.test(token)

const checksum = (body: string): string => base62(crc32(body), 6)
