/** Longest head of a data URL before its comma. */
const maxHeadLength = 256
const head = /^data:([\w.+-]+\/[\w.+-]+)((?:;[\w.+-]+=(?:[^;,"]*|"[^"]*"))*);base64$/i

/**
 * Takes a `data:<type>;base64,<data>` URL apart (RFC 2397). The type is lower case, without parameters, and only what
 * the sender claims; the Base64 is not checked. `undefined` for other URLs and for data that is not in Base64.
 */
export function parseDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const comma = url.slice(0, maxHeadLength).indexOf(',')
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
