/**
 * `encrypted_content` of what a search found: the excerpt that the model read, packed, so that a client which sends the answer back
 * sends it too. It is no secret; the wire has no other field for it.
 */
import { deflateSync, inflateSync } from 'node:zlib'

/** Of one excerpt: twice of what a search lets through. */
const maxBytes = 8_192

export const packed = (text: string): string => deflateSync(text).toString('base64')

/** By the first two bytes of the format. What a vendor has encrypted begins otherwise. */
export const isPacked = (content: unknown): content is string =>
  typeof content === 'string' && content.startsWith('eJ')

/** Empty for what is damaged: the format has a checksum. */
export function unpacked(content: string): string {
  try {
    return inflateSync(Buffer.from(content, 'base64'), { maxOutputLength: maxBytes }).toString('utf8')
  } catch {
    return ''
  }
}
