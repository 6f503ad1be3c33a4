import type { ByteWindow } from './file-window.ts'

/** Boxes with which MP4 and QuickTime files begin (ISO 14496-12); some old files have no `ftyp`. */
const firstBoxes = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot'])

export const beginsLikeMp4 = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && firstBoxes.has(String.fromCharCode(...bytes.subarray(4, 8)))

export interface OuterBoxes {
  /** Whether nothing was cut off: a file that was lacks part of its last box, or the index (of pictures: `meta`) that follows its data. */
  isWhole: boolean
  /** How many bytes can be read: those before a box that is cut off; of sound and pictures also what is there of their box. */
  readableBytes: number
  isFragmented: boolean
  /** Whether there is a second index: players use one or the other. */
  hasMore: boolean
}

export function walkBoxes(file: ByteWindow): OuterBoxes {
  let isFragmented = false
  let indexes = 0
  let hasData = false
  let hasPictures = false
  let at = 0
  const outline = (isWhole: boolean, readableBytes: number): OuterBoxes => ({
    ...{ isWhole: isWhole && (indexes > 0 || hasPictures || !hasData), readableBytes, isFragmented },
    hasMore: indexes > 1,
  })
  while (at + 8 <= file.length) {
    const head = file.at(at, 16)
    const name = head.toString('latin1', 4, 8)
    const short = head.readUInt32BE(0)
    const isLong = short === 1
    if (isLong && head.length < 16) break
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short
    // The last box may leave its length open; zeros that fill a file up look the same.
    const isOpen = short === 0
    if (!isOpen && size < (isLong ? 16 : 8)) break
    const isCut = !isOpen && at + size > file.length
    if (isCut && name !== 'mdat') break
    isFragmented ||= name === 'moof'
    hasData ||= name === 'mdat'
    hasPictures ||= name === 'meta'
    if (name === 'moov') indexes += 1
    if (isOpen || isCut) return outline(isOpen, file.length)
    at += size
  }
  return outline(at === file.length, at)
}
