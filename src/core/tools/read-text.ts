import { decodeText } from './decode-text.ts'
import { excerpt } from './excerpt.ts'
import { cleanText } from './tidy.ts'
import type { PageWork, ReadPage } from './web-fetch.ts'

/** Longer texts are read in a confined process: they could do no harm, but four megabytes would hold the event loop too long. */
export const maxBytesHere = 256 * 1024

/** Plain text, in whatever charset it is written. */
export const readText = ({
  bytes,
  contentType,
  maxBytes,
}: Pick<PageWork, 'bytes' | 'contentType' | 'maxBytes'>): ReadPage => ({
  title: '',
  ...excerpt(cleanText(decodeText(bytes, contentType)), maxBytes),
})
