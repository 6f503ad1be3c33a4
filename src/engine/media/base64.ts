const standard = /^[A-Za-z0-9+/]*={0,2}$/

/** Decodes Base64 of RFC 4648 §4: standard alphabet, whole padding, no white space; `undefined` for anything else. */
export function decodeBase64(text: string): Uint8Array | undefined {
  // The length rules out what the pattern lets through: padding missing, too long, or alone.
  if (text.length % 4 !== 0 || !standard.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Longest head of a data URL before its comma. */
const longestHead = 256
const head = /^data:([\w.+-]+\/[\w.+-]+)((?:;[\w.+-]+=(?:[^;,"]*|"[^"]*"))*);base64$/i

/**
 * Takes a `data:<type>;base64,<data>` URL apart (RFC 2397). The type is lower case, without parameters, and only what
 * the sender claims; the Base64 is not checked. `undefined` for other URLs and for data that is not in Base64.
 */
export function parseDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const comma = url.slice(0, longestHead).indexOf(',')
  const mediaType = comma === -1 ? undefined : head.exec(url.slice(0, comma))?.[1]
  return mediaType === undefined
    ? undefined
    : { mediaType: mediaType.toLowerCase(), base64: url.slice(comma + 1) }
}

/** Standard Base64, padded. */
export const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

export const dataUrl = (media: { data: Uint8Array; mediaType: string }): string =>
  `data:${media.mediaType};base64,${encodeBase64(media.data)}`
