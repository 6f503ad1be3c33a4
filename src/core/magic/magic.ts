/** Media types recognised by the first bytes of a file, and the frames of MP3. */
import { adtsBytes } from './adts-frame.ts'
import { hasBytes, hasText, includesBytes } from './bytes.ts'
import { readMp3Frame, skipId3 } from './mp3-frame.ts'

export { hasBytes, hasText, viewOf } from './bytes.ts'
export { findFrames } from './find-frames.ts'
export { isEncoderTable, type Mp3Frame, readMp3Frame, skipId3 } from './mp3-frame.ts'

/**
 * The media type by the first bytes: png, jpeg, gif, webp, wav (RF64 too), mp3 and AAC in ADTS (with or without ID3), mp4, quicktime, m4a, webm,
 * ogg, flac, aiff, caf, wma, amr, pdf. `undefined` for everything else, whatever its sender calls it.
 */
export function sniff(bytes: Uint8Array): string | undefined {
  if (hasBytes(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png'
  if (hasBytes(bytes, 0, [0xff, 0xd8, 0xff])) return 'image/jpeg'
  if (hasText(bytes, 0, 'GIF87a') || hasText(bytes, 0, 'GIF89a')) return 'image/gif'
  if (hasText(bytes, 0, 'RIFF')) {
    if (hasText(bytes, 8, 'WEBP')) return 'image/webp'
    return hasText(bytes, 8, 'WAVE') ? 'audio/wav' : undefined
  }
  if (isRf64(bytes)) return 'audio/wav'
  if (hasText(bytes, 4, 'ftyp')) return typeOfBrand(bytes)
  if (hasBytes(bytes, 0, [0x1a, 0x45, 0xdf, 0xa3])) return isWebm(bytes) ? 'video/webm' : undefined
  if (hasText(bytes, 0, 'OggS')) return 'audio/ogg'
  if (hasText(bytes, 0, 'fLaC')) return 'audio/flac'
  if (hasText(bytes, 0, '%PDF-')) return 'application/pdf'
  if (hasText(bytes, 0, 'FORM') && hasText(bytes, 8, 'AIF')) return 'audio/aiff'
  if (hasText(bytes, 0, 'caff')) return 'audio/x-caf'
  if (hasText(bytes, 0, '#!AMR')) return 'audio/amr'
  if (hasBytes(bytes, 0, asf))
    return includesBytes(bytes.subarray(0, asfHeadBytes), asfPictures) ? undefined : 'audio/x-ms-wma'
  if (isAdts(bytes)) return 'audio/aac'
  return isMp3(bytes) ? 'audio/mpeg' : undefined
}

/** Whether this is RIFF WAVE whose lengths have 64 bits (EBU Tech 3306, ITU-R BS.2088). */
export const isRf64 = (bytes: Uint8Array): boolean =>
  (hasText(bytes, 0, 'RF64') || hasText(bytes, 0, 'BW64')) && hasText(bytes, 8, 'WAVE')

/** The names with which a file of Microsoft's ASF begins, and by which it says that a track has pictures. */
const asf = [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c]
const asfPictures = [
  0xc0, 0xef, 0x19, 0xbc, 0x4d, 0x5b, 0xcf, 0x11, 0xa8, 0xfd, 0x00, 0x80, 0x5f, 0x5c, 0x44, 0x2b,
]

/** The head of such a file, which lists its tracks, is rarely longer. */
const asfHeadBytes = 8_192

/** Brands of ISO 23008-12 and of AVIF: files of the same boxes that are pictures, not films. */
const heifBrands = ['avif', 'avis', 'heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1']

/** Whether the bytes are a picture in AVIF or HEIC. */
export const isHeif = (bytes: Uint8Array): boolean =>
  hasText(bytes, 4, 'ftyp') && heifBrands.some((brand) => hasText(bytes, 8, brand))

/** `image/avif` or `image/heic`, by the brands that the file says it has. */
export function heifType(bytes: Uint8Array): string | undefined {
  if (!isHeif(bytes)) return undefined
  for (let at = 8; at < brandsEnd; at += 4)
    if (hasText(bytes, at, 'avif') || hasText(bytes, at, 'avis')) return 'image/avif'
  return 'image/heic'
}

/** Where the brands of a picture have ended; no encoder writes a dozen of them. */
const brandsEnd = 64

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
    : readMp3Frame(bytes, frame.length) !== undefined || isCutHead(bytes, frame.length, 4)
}

/** Whether the bytes begin with a frame of AAC in ADTS, after an ID3 tag or none, followed at its exact length by another one or the end. */
function isAdts(bytes: Uint8Array): boolean {
  const start = skipId3(bytes)
  const length = adtsBytes(bytes, start)
  if (length === undefined) return false
  const next = start + length
  return next >= bytes.length || adtsBytes(bytes, next) !== undefined || isCutHead(bytes, next, 6)
}

/** Whether the bytes end within a head of so many bytes, which begins here. */
const isCutHead = (bytes: Uint8Array, at: number, headBytes: number): boolean =>
  bytes.length - at < headBytes && bytes[at] === 0xff
