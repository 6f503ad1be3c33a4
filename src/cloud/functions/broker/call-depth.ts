/**
 * How many functions called each other: a header that the broker alone sets on requests to addresses of this platform, signed so that no call can
 * pass for less deep than it is.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Signer } from '#platform/secrets'

export const depthHeader = 'x-kherad-call'
/** The purpose of the signing key. */
export const depthPurpose = 'depth of function calls'
/** A call this deep is refused. */
export const maxCallDepth = 8

const signedText = (depth: number): Buffer => Buffer.from(`depth ${depth}`)

const signatureOf = (depth: number, sign: Signer): string => sign(signedText(depth)).toString('base64url')

/** The header's value for a depth. A depth beyond the deepest counts as the deepest, which is refused too. */
export function signedDepth(depth: number, sign: Signer): string {
  const stated = Math.min(depth, maxCallDepth)
  return `${stated}.${signatureOf(stated, sign)}`
}

/** The depth that a header states; 0 for a call from outside: without the header, or with one that we did not sign. */
export function readDepth(text: string | undefined, sign: Signer): number {
  const [, digits, signature] = /^(\d{1,2})\.([\w-]{43})$/.exec(text ?? '') ?? []
  if (digits === undefined) return 0
  const expected = Buffer.from(signatureOf(Number(digits), sign))
  return timingSafeEqual(expected, Buffer.from(signature!)) ? Number(digits) : 0
}

/** The signatures of all depths that are ever signed; a host of functions signs with them and needs no key. */
export type DepthSignatures = readonly string[]

export const depthSignatures = (sign: Signer): DepthSignatures =>
  Array.from({ length: maxCallDepth + 1 }, (_, depth) => signatureOf(depth, sign))

/** A signer that has these signatures; for any other data it returns one that nobody accepts. */
export const signerFrom =
  (depths: DepthSignatures): Signer =>
  (data) => {
    const depth = depths.findIndex((_, at) => signedText(at).equals(data))
    return depth < 0 ? Buffer.alloc(32) : Buffer.from(depths[depth]!, 'base64url')
  }
