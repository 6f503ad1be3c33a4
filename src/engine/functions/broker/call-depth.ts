/**
 * How many functions called each other: a header that the broker alone sets on requests to addresses of this platform, signed so that nobody
 * can take themselves for less deep than they are.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Signer } from '#platform/secrets'

export const depthHeader = 'x-kherad-call'
/** The purpose of the signing key. */
export const depthPurpose = 'depth of function calls'
/** A call this deep is refused. */
export const deepest = 8

const signatureOf = (depth: number, sign: Signer): string =>
  sign(Buffer.from(`depth ${depth}`)).toString('base64url')

export const signedDepth = (depth: number, sign: Signer): string => `${depth}.${signatureOf(depth, sign)}`

/** 0 for a call from outside: without the header, and with one that we did not sign. */
export function readDepth(text: string | undefined, sign: Signer): number {
  const [, digits, signature] = /^(\d{1,2})\.([\w-]{43})$/.exec(text ?? '') ?? []
  if (digits === undefined) return 0
  const expected = Buffer.from(signatureOf(Number(digits), sign))
  return timingSafeEqual(expected, Buffer.from(signature!)) ? Number(digits) : 0
}
