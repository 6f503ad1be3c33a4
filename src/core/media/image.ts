import { hasBytes, hasText, sniff, viewOf } from '#core/magic'

/** The size of an image in pixels. */
export interface ImageSize {
  width: number
  height: number
}

/** More pixels than any camera makes. A header of a few bytes can claim an image that exhausts a decoder's memory. */
const maxPixels = 100_000_000
const maxSide = 32_767

/** Whether the header claims more pixels than may be decoded. */
export const isTooLarge = ({ width = 0, height = 0 }: Partial<ImageSize>): boolean =>
  width * height > maxPixels || Math.max(width, height) > maxSide

/**
 * Width and height in pixels of a png, jpeg (progressive too), gif or webp, from its header; `undefined` for anything else. For a
 * photo whose EXIF orientation is a quarter turn, they are the width and height after rotation.
 */
export function measureImage(bytes: Uint8Array): ImageSize | undefined {
  const type = sniff(bytes)
  const size =
    type === 'image/png'
      ? measurePng(bytes)
      : type === 'image/jpeg'
        ? measureJpeg(bytes)
        : type === 'image/gif'
          ? measureGif(bytes)
          : type === 'image/webp'
            ? measureWebp(bytes)
            : undefined
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

/** PNG 1.2, 11.2.2: IHDR comes first; sizes have 31 bits. */
function measurePng(bytes: Uint8Array): ImageSize | undefined {
  if (bytes.length < 33 || !hasText(bytes, 12, 'IHDR')) return undefined
  const view = viewOf(bytes)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  return width < 2 ** 31 && height < 2 ** 31 ? { width, height } : undefined
}

function measureGif(bytes: Uint8Array): ImageSize | undefined {
  if (bytes.length < 13) return undefined
  const view = viewOf(bytes)
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

/**
 * The most segments, markers and fill bytes that are read; cameras write some dozens before the frame, and some hundreds with a preview and a
 * profile.
 */
const maxSteps = 100_000

/** ITU T.81, B.2.2: walks the segments to the start of frame, which every coding process (C0–CF) has alike. */
function measureJpeg(bytes: Uint8Array): ImageSize | undefined {
  const view = viewOf(bytes)
  let at = 2
  let onSide = false
  for (let steps = 0; steps < maxSteps && at + 4 <= bytes.length; steps++) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      at += 1 // fill byte
      continue
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += 2 // markers without a length
      continue
    }
    // End of image, start of scan, or an escaped byte: no frame came before the data.
    if (marker === 0xd9 || marker === 0xda || marker === 0x00) return undefined
    const length = view.getUint16(at + 2)
    if (length < 2) return undefined
    if (isStartOfFrame(marker)) {
      if (length < 8 || at + 9 > bytes.length) return undefined
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)]
      return onSide ? { width: height, height: width } : { width, height }
    }
    onSide ||= marker === 0xe1 && isQuarterTurned(bytes.subarray(at + 4, at + 2 + length))
    at += 2 + length
  }
  return undefined
}

/** Orientations of EXIF 2.32, 4.6.5, in which the stored picture is a quarter turn away from the upright one; phones store portraits like this. */
const turned = new Set([5, 6, 7, 8])

/** Whether the first directory of an APP1 segment has one of the `turned` orientations; nothing is read beyond the end of the segment. */
function isQuarterTurned(segment: Uint8Array): boolean {
  const tiff = segment.subarray(6)
  const little = hasText(tiff, 0, 'II')
  if (!hasText(segment, 0, 'Exif\0\0') || !(little || hasText(tiff, 0, 'MM')) || tiff.length < 8) return false
  const view = viewOf(tiff)
  const first = view.getUint32(4, little)
  if (first + 2 > tiff.length) return false
  const end = Math.min(first + 2 + 12 * view.getUint16(first, little), tiff.length)
  for (let entry = first + 2; entry + 12 <= end; entry += 12)
    if (view.getUint16(entry, little) === 0x0112) return turned.has(view.getUint16(entry + 8, little))
  return false
}

function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** Decoders take time that grows with the square of the number of frames: this many cost 0.3 s, eight times as many 17 s. */
const maxFrames = 5_000

/** Whether an extended WebP, whose chunks are padded to even lengths, has more frames (`ANMF`) than are decoded. */
function hasManyFrames(bytes: Uint8Array): boolean {
  const view = viewOf(bytes)
  let frames = 0
  for (let at = 12; at + 8 <= bytes.length && frames <= maxFrames; ) {
    if (hasText(bytes, at, 'ANMF')) frames += 1
    const length = view.getUint32(at + 4, true)
    at += 8 + length + (length % 2)
  }
  return frames > maxFrames
}

/** The first chunk tells the kind: `VP8 ` (lossy, RFC 6386), `VP8L` (lossless), `VP8X` (extended; the canvas). RFC 9649. */
function measureWebp(bytes: Uint8Array): ImageSize | undefined {
  const view = viewOf(bytes)
  if (hasText(bytes, 12, 'VP8 ') && bytes.length >= 30 && hasBytes(bytes, 23, [0x9d, 0x01, 0x2a]))
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (hasText(bytes, 12, 'VP8L') && bytes.length >= 25 && bytes[20] === 0x2f) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (hasText(bytes, 12, 'VP8X') && bytes.length >= 30) {
    if (hasManyFrames(bytes)) return undefined
    const read24 = (at: number) => view.getUint16(at, true) | ((bytes[at + 2] ?? 0) << 16)
    return { width: read24(24) + 1, height: read24(27) + 1 }
  }
  return undefined
}
