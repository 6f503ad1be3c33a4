/**
 * `encrypted_content` of a search result: the excerpt that the model read, compressed, so that a client which sends the answer back
 * sends it too. It is not secret; the wire has no other field for it.
 */
import { deflateSync, inflateSync } from 'node:zlib'

/** Bytes of one excerpt: twice what a search returns. */
const maxBytes = 8_192

export const packExcerpt = (text: string): string => deflateSync(text).toString('base64')

/** Recognizes the first two bytes of the zlib format; content that a vendor has encrypted begins otherwise. */
export const isPacked = (content: unknown): content is string =>
  typeof content === 'string' && content.startsWith('eJ')

/** Returns the excerpt, or an empty text if the content is damaged, which the checksum of the format shows. */
export function unpackExcerpt(content: string): string {
  try {
    return inflateSync(Buffer.from(content, 'base64'), { maxOutputLength: maxBytes }).toString('utf8')
  } catch {
    return ''
  }
}
