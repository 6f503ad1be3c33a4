import { sniff } from '#core/magic'
import { anyType, mediaTypeOf } from './media-type.ts'

/** Longest head of a data URL before its data. */
const maxHeadLength = 256
/** A codec in the parameters may have commas, as browsers write them: the data begins after this. */
const mark = /;base64,/i
const typeInHead = /^data:([\w.+-]+\/[\w.+-]+)\s*(?:;|$)/i

/**
 * Takes a `data:<type>;base64,<data>` URL apart (RFC 2397). The type is called by its usual name, without parameters, and only what the sender
 * claims; the Base64 is not checked. `undefined` for other URLs and for data that is not in Base64.
 */
export function parseDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const found = mark.exec(url.slice(0, maxHeadLength))
  const claimed = found && typeInHead.exec(url.slice(0, found.index))?.[1]
  return found && claimed !== undefined && claimed !== null
    ? { mediaType: mediaTypeOf(claimed), base64: url.slice(found.index + found[0].length) }
    : undefined
}

/** The type of a picture, a PDF or a film in Base64, by its first bytes. */
export const typeOfBase64 = (base64: string): string | undefined =>
  sniff(Buffer.from(base64.slice(0, sniffedCharacters), 'base64'))

const sniffedCharacters = 64

/**
 * A data URL with the type that its bytes have, since vendors refuse another; a declared text, whose bytes tell no type, and every other URL as it is.
 * What has neither a declared type nor one of its bytes was taken as a text.
 */
export function withTypeOfBytes(url: string): string {
  const parsed = parseDataUrl(url)
  if (!parsed || parsed.mediaType.startsWith('text/')) return url
  const declared = parsed.mediaType === anyType ? 'text/plain' : parsed.mediaType
  const head = `data:${typeOfBase64(parsed.base64) ?? declared};base64,`
  return url.startsWith(head) ? url : head + parsed.base64
}

/** Standard Base64, padded. */
export const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

export const dataUrl = (media: { data: Uint8Array; mediaType: string }): string =>
  `data:${media.mediaType};base64,${encodeBase64(media.data)}`
