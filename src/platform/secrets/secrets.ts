import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62, randomBase62, secretPrefixes } from '#platform/ids'

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

/** A new project key: `khr_`, 43 random base62 characters (256 bits), 6 of checksum. */
export function newKeySecret(): string {
  const body = randomBase62(43)
  return secretPrefixes.key + body + checksum(body)
}

/** False for a mistyped key, without asking the database. Keys of operators (KHERAD_BOOTSTRAP_KEY) may have any length from 32 and no checksum. */
export function couldBeKey(secret: string): boolean {
  if (!secret.startsWith(secretPrefixes.key)) return false
  const body = secret.slice(secretPrefixes.key.length)
  if (body.length < 32 || body.length > 200) return false
  return /^[!-~]+$/.test(body)
}

/** True when the last six characters are the checksum of the 43 before them. */
export const hasChecksum = (secret: string): boolean => {
  const body = secret.slice(secretPrefixes.key.length)
  return body.length === 49 && body.slice(43) === checksum(body.slice(0, 43))
}

const checksum = (body: string): string => base62(crc32(body), 6)
