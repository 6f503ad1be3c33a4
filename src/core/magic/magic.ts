/** Media types recognised by the first bytes of a file, and the frames of MP3. */
import { hasBytes, hasText } from './bytes.ts'
import { readMp3Frame, skipId3 } from './mp3-frame.ts'

export { hasBytes, hasText, viewOf } from './bytes.ts'
export { isEncoderTable, type Mp3Frame, readMp3Frame, skipId3 } from './mp3-frame.ts'

/**
 * The media type by the first bytes: png, jpeg, gif, webp, wav, mp3 and AAC in ADTS (with or without ID3), mp4, quicktime, m4a, webm,
 * ogg, flac, pdf. `undefined` for everything else, whatever its sender calls it.
 */
export function sniff(bytes: Uint8Array): string | undefined {
  if (hasBytes(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png'
  if (hasBytes(bytes, 0, [0xff, 0xd8, 0xff])) return 'image/jpeg'
  if (hasText(bytes, 0, 'GIF87a') || hasText(bytes, 0, 'GIF89a')) return 'image/gif'
  if (hasText(bytes, 0, 'RIFF')) {
    if (hasText(bytes, 8, 'WEBP')) return 'image/webp'
    return hasText(bytes, 8, 'WAVE') ? 'audio/wav' : undefined
  }
  if (hasText(bytes, 4, 'ftyp')) return typeOfBrand(bytes)
  if (hasBytes(bytes, 0, [0x1a, 0x45, 0xdf, 0xa3])) return isWebm(bytes) ? 'video/webm' : undefined
  if (hasText(bytes, 0, 'OggS')) return 'audio/ogg'
  if (hasText(bytes, 0, 'fLaC')) return 'audio/flac'
  if (hasText(bytes, 0, '%PDF-')) return 'application/pdf'
  if (isAdts(bytes)) return 'audio/aac'
  return isMp3(bytes) ? 'audio/mpeg' : undefined
}

/** Brands of ISO 23008-12 and of AVIF: files of the same boxes that are pictures, not films. */
const heifBrands = ['avif', 'avis', 'heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1']

/** Whether the bytes are a picture in AVIF or HEIC. */
export const isHeif = (bytes: Uint8Array): boolean =>
  hasText(bytes, 4, 'ftyp') && heifBrands.some((brand) => hasText(bytes, 8, brand))

function typeOfBrand(bytes: Uint8Array): string | undefined {
  if (isHeif(bytes) || hasText(bytes, 8, 'crx ')) return undefined
  if (hasText(bytes, 8, 'M4A ') || hasText(bytes, 8, 'M4B ')) return 'audio/mp4'
  return hasText(bytes, 8, 'qt  ') ? 'video/quicktime' : 'video/mp4'
}

/** Matroska and WebM share their magic; the document type stands in the first header. */
function isWebm(bytes: Uint8Array): boolean {
  for (let at = 4; at < Math.min(bytes.length, 64); at++) if (hasText(bytes, at, 'webm')) return true
  return false
}

/** Whether the bytes begin with an ID3 tag, or with a frame followed at its exact length by another one or the end. */
function isMp3(bytes: Uint8Array): boolean {
  if (hasText(bytes, 0, 'ID3') && bytes.length > 10) {
    const start = skipId3(bytes)
    // The tag also stands before AAC and others; a frame has to follow when the bytes reach that far.
    return start >= bytes.length || readMp3Frame(bytes, start) !== undefined || bytes[start] === 0
  }
  const frame = readMp3Frame(bytes, 0)
  if (!frame) return false
  return frame.length >= bytes.length
    ? frame.length === bytes.length
    : readMp3Frame(bytes, frame.length) !== undefined
}

/** Whether the bytes begin with a frame of AAC in ADTS, after an ID3 tag or none, followed at its exact length by another one or the end. */
function isAdts(bytes: Uint8Array): boolean {
  const start = skipId3(bytes)
  const length = adtsBytes(bytes, start)
  if (length === undefined) return false
  return start + length >= bytes.length || adtsBytes(bytes, start + length) !== undefined
}

/** The length in the header of a frame (ISO 14496-3, 1.A.2.2); undefined where the rate does not exist or the length is not more than the header. */
function adtsBytes(bytes: Uint8Array, at: number): number | undefined {
  if (at + 6 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0) return undefined
  const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
  return ((bytes[at + 2]! >> 2) & 15) < 13 && length > 7 ? length : undefined
}
