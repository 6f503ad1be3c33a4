/** Ids in ascending order of time (UUID version 7), and the registry of the prefixes of secrets. */
import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(16 * 256)
let used = pool.length
let lastMs = 0
let sameMs = 0

/**
 * Returns a UUID version 7 (RFC 9562): time-ordered, so that rows written together lie together. `nowMs` is Unix time in milliseconds. Ids of the
 * same millisecond are counted in the twelve bits after it; the count carries over into the next millisecond (6.2, method 1), so that this process
 * makes ids in ascending order.
 */
export function uuidv7(nowMs: number = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + 16)
  used += 16
  sameMs = nowMs === lastMs ? sameMs + 1 : 0
  lastMs = nowMs
  bytes.writeUIntBE(nowMs + (sameMs >> 12), 0, 6)
  bytes.writeUInt16BE(0x7000 | (sameMs & 0xfff), 6)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return uuidOfHex(bytes.toString('hex'))
}

/** The UUID form of 32 hexadecimal digits. */
export const uuidOfHex = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `length` characters of base 62, without bias (bytes past the last whole multiple of 62 are drawn again). */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomFillSync(Buffer.alloc(length * 2))) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

/** A number below 62^length in base 62, padded with zeros. */
export function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}

/** Prefixes of secrets. A secret never shares its prefix with a plain handle, so that scanners can find a leaked one. */
export const secretPrefixes = {
  key: 'khr_',
  // A key that acts for an account.
  management: 'khm_',
  publicKey: 'khp_',
  serviceKey: 'khs_',
  // The session of a browser, in its cookie.
  session: 'khb_',
  // The prefix that existing clients expect.
  client: 'ek_',
} as const
