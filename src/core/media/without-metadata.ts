/**
 * A picture without what a camera or a program wrote beside its pixels: place, time, device, names, previews, and bytes after its end. Its pixels
 * stay byte for byte; the data that says how they are shown (colours, gamma, frames, the turn of a photo) stays too.
 */
import { crc32 } from 'node:zlib'
import { hasText, sniff, viewOf } from '#core/magic'
import { Slice } from '#platform/slices'

/** The bytes that are searched or copied between two looks at the clock. */
const blockBytes = 256 * 1024
/** The most segments or chunks; cameras write some dozens, an animation thousands. */
const maxPieces = 100_000

/**
 * Returns a jpeg, png or webp without its metadata, and anything else as it is. Undefined where there are more pieces than any program writes. Works
 * in slices, since a form may bring 100 MiB.
 */
export async function withoutMetadata(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  switch (sniff(bytes)) {
    case 'image/jpeg':
      return stripJpeg(bytes)
    case 'image/png':
      return stripPng(bytes)
    case 'image/webp':
      return stripWebp(bytes)
    default:
      return bytes
  }
}

/** Collects what is kept, in as few copies as possible. */
class KeptBytes {
  readonly #bytes: Uint8Array
  readonly #parts: Uint8Array[] = []
  #from = 0
  #to = 0
  pieces = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  keep(from: number, to: number): void {
    if (from !== this.#to) this.#flush(from)
    this.#to = Math.min(to, this.#bytes.length)
  }

  add(part: Uint8Array): void {
    this.#flush(this.#to)
    this.#parts.push(part)
  }

  #flush(next: number): void {
    if (this.#to > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, this.#to))
    this.#from = next
    this.#to = next
  }

  async joined(): Promise<Uint8Array> {
    this.#flush(this.#to)
    if (this.#parts.length === 1) return this.#parts[0]!
    const joined = Buffer.allocUnsafeSlow(this.#parts.reduce((sum, { length }) => sum + length, 0))
    const slice = new Slice()
    let at = 0
    for (const part of this.#parts) {
      for (let from = 0; from < part.length; from += blockBytes) {
        const block = part.subarray(from, from + blockBytes)
        joined.set(block, at)
        at += block.length
        if (slice.isOver()) await slice.next()
      }
    }
    return joined
  }
}

/** ITU T.81, B.1.1.2: JFIF, colour profiles and Adobe's transform say how pixels are shown; the other segments of APPn and COM are metadata. */
function isKeptSegment(bytes: Uint8Array, marker: number, at: number): boolean {
  if (marker === 0xe2) return hasText(bytes, at, 'ICC_PROFILE\0')
  if (marker === 0xee) return hasText(bytes, at, 'Adobe')
  if (marker === 0xe0) return hasText(bytes, at, 'JFIF\0')
  return marker < 0xe0 || (marker > 0xef && marker !== 0xfe)
}

async function stripJpeg(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const view = viewOf(bytes)
  const kept = new KeptBytes(bytes)
  kept.keep(0, 2)
  let isTurned = false
  for (let at = 2; at < bytes.length; kept.pieces++) {
    if (kept.pieces > maxPieces) return undefined
    // Decoders skip what stands between segments.
    const start = bytes.indexOf(0xff, at)
    if (start < 0 || start + 2 > bytes.length) break
    const marker = bytes[start + 1]!
    if (marker === 0xff || marker === 0x00) {
      at = start + 1
      continue
    }
    if (marker === 0xd9) {
      kept.keep(start, start + 2)
      break
    }
    if (marker === 0x01 || marker === 0xd8 || (marker >= 0xd0 && marker <= 0xd7)) {
      at = start + 2
      continue
    }
    if (start + 4 > bytes.length) break
    const end = start + 2 + view.getUint16(start + 2)
    const orientation = marker === 0xe1 && !isTurned ? exifOrientation(bytes.subarray(start + 4, end)) : 1
    if (orientation !== 1) {
      isTurned = true
      kept.add(exifSegment(orientation))
    } else if (isKeptSegment(bytes, marker, start + 4)) kept.keep(start, end)
    at = end
    if (marker === 0xda) {
      at = await endOfScan(bytes, end)
      kept.keep(end, at)
    }
  }
  return kept.joined()
}

/** The end of coded data, which lasts to the next marker; zeros after 0xff are part of the data, and so are restarts. */
async function endOfScan(bytes: Uint8Array, from: number): Promise<number> {
  const slice = new Slice()
  for (let at = from; at < bytes.length; at += blockBytes) {
    const found = markerWithin(bytes, at, Math.min(at + blockBytes, bytes.length - 1))
    if (found !== undefined) return found
    if (slice.isOver()) await slice.next()
  }
  return bytes.length
}

function markerWithin(bytes: Uint8Array, from: number, to: number): number | undefined {
  for (let at = from; at < to; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1]!
    if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return undefined
}

const exifHead = 'Exif\0\0'

/** The orientation, 1 … 8, in an APP1 segment; 1 where the segment is no EXIF or states none. */
const exifOrientation = (segment: Uint8Array): number =>
  hasText(segment, 0, exifHead) ? orientationOf(segment.subarray(exifHead.length)) : 1

/** The orientation in the first directory of a TIFF (EXIF 2.32, 4.6.5); nothing is read beyond the end of the directory. */
function orientationOf(tiff: Uint8Array): number {
  const little = hasText(tiff, 0, 'II')
  if (tiff.length < 8 || !(little || hasText(tiff, 0, 'MM'))) return 1
  const view = viewOf(tiff)
  const first = view.getUint32(4, little)
  if (first + 2 > tiff.length) return 1
  const end = Math.min(first + 2 + 12 * view.getUint16(first, little), tiff.length)
  for (let entry = first + 2; entry + 12 <= end; entry += 12) {
    if (view.getUint16(entry, little) !== 0x0112) continue
    const orientation = view.getUint16(entry + 8, little)
    return orientation >= 1 && orientation <= 8 ? orientation : 1
  }
  return 1
}

/** A directory with the orientation and nothing else. */
function exifOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(0x0112, 10)
  tiff.writeUInt16BE(3, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

function exifSegment(orientation: number): Buffer {
  const content = Buffer.concat([Buffer.from(exifHead, 'latin1'), exifOf(orientation)])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** PNG 3, 11.3: critical chunks begin with a capital. Of the other chunks, these say how pixels are shown. */
const shownChunks = new Set(
  'tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
)
const pngHead = 8

async function stripPng(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const view = viewOf(bytes)
  const kept = new KeptBytes(bytes)
  kept.keep(0, pngHead)
  for (let at = pngHead; at + 12 <= bytes.length; kept.pieces++) {
    if (kept.pieces > maxPieces) return undefined
    const length = view.getUint32(at)
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1')
    const end = at + 12 + length
    if (type === 'eXIf') {
      const orientation = orientationOf(bytes.subarray(at + 8, at + 8 + length))
      if (orientation !== 1) kept.add(pngChunk(type, exifOf(orientation)))
    } else if (/^[A-Z]/.test(type) || shownChunks.has(type)) kept.keep(at, end)
    if (type === 'IEND') break
    at = end
  }
  return kept.joined()
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(content.length)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}

/** The chunks that are kept (RFC 9649, 2.7). */
const webpChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ANIM', 'ANMF', 'ALPH', 'ICCP'])
const webpHead = 12
const webpExif = 0x08
const webpXmp = 0x04

async function stripWebp(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const view = viewOf(bytes)
  const kept = new KeptBytes(bytes)
  kept.keep(0, webpHead)
  const end = Math.min(bytes.length, 8 + view.getUint32(4, true))
  let orientation = 1
  for (let at = webpHead; at + 8 <= end; kept.pieces++) {
    if (kept.pieces > maxPieces) return undefined
    const length = view.getUint32(at + 4, true)
    const next = at + 8 + length + (length % 2)
    const type = Buffer.from(bytes.subarray(at, at + 4)).toString('latin1')
    if (type === 'EXIF') orientation = webpOrientation(bytes.subarray(at + 8, at + 8 + length))
    else if (webpChunks.has(type)) kept.keep(at, Math.min(next, end))
    at = next
  }
  // The EXIF chunk comes after the pictures, as the format requires.
  if (orientation !== 1) kept.add(webpChunk('EXIF', exifOf(orientation)))
  return withWebpHead(await kept.joined(), orientation !== 1)
}

/** The orientation in an EXIF chunk; some writers put the head of a JPEG segment before its content. */
const webpOrientation = (content: Uint8Array): number =>
  hasText(content, 0, exifHead) ? exifOrientation(content) : orientationOf(content)

function webpChunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content])
}

/** Sets the length and the flags in the head to what the file contains. */
function withWebpHead(bytes: Uint8Array, hasExif: boolean): Uint8Array {
  viewOf(bytes).setUint32(4, bytes.length - 8, true)
  if (hasText(bytes, webpHead, 'VP8X') && bytes.length > webpHead + 8)
    bytes[webpHead + 8] = (bytes[webpHead + 8]! & ~(webpExif | webpXmp)) | (hasExif ? webpExif : 0)
  return bytes
}
