/**
 * Time-based one-time codes (RFC 6238) as authenticator apps make them: six digits of HMAC-SHA-1 over the number of the step of 30 seconds. Other
 * values are in the standard, but common apps ignore them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { latinDigits } from '#platform/words'

const stepMs = 30_000
const digits = 6
/** RFC 4226 recommends a secret as long as the hash. */
export const secretBytes = 20

/** The number of the step in which this moment lies. */
export const stepAt = (nowMs: number): number => Math.floor(nowMs / stepMs)

/** The code of a step, with its leading zeros. */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The code as people type or paste it, without spaces and in Latin digits; undefined if it cannot be a code. */
export function readCode(text: string): string | undefined {
  const code = latinDigits(text).replace(/[\s\u200c-\u200f\u2066-\u2069-]/g, '')
  return /^\d{6}$/.test(code) ? code : undefined
}

/**
 * The step whose code this is: the one of now, before it or after it, because clocks of phones differ. Undefined where none has it, or where it was
 * used, or one after it. Whichever step matches takes the same time.
 */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  { nowMs, lastStep }: { nowMs: number; lastStep: number | null },
): number | undefined {
  const given = Buffer.from(code)
  const current = stepAt(nowMs)
  const matching = [current - 1, current, current + 1].filter((step) => {
    const expected = Buffer.from(codeAt(secret, step))
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
  return matching.find((step) => lastStep === null || step > lastStep)
}

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 (RFC 4648) without padding, as authenticator apps take it. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += base32Alphabet[(value >>> (bits - 5)) & 31]
  }
  return bits === 0 ? text : text + base32Alphabet[(value << (5 - bits)) & 31]
}

/** The address that an authenticator app reads from a QR code. */
export function otpauthUri(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const parameters = `secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1_000}`
}
