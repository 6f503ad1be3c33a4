import type { Window } from './file-window.ts'

/** Boxes with which MP4 and QuickTime files begin (ISO 14496-12); some old ones have no `ftyp`. */
const firstBoxes = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot'])

export const beginsLikeMp4 = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && firstBoxes.has(String.fromCharCode(...bytes.subarray(4, 8)))

export interface OuterBoxes {
  /** Whether they end exactly where the file ends: what was cut lacks some of the last. */
  isWhole: boolean
  isFragmented: boolean
  /** Whether there is a second index: who plays the file takes one or the other. */
  hasMore: boolean
}

export function walkBoxes(file: Window): OuterBoxes {
  let isFragmented = false
  let indexes = 0
  let at = 0
  while (at + 8 <= file.length) {
    const head = file.at(at, 16)
    const name = head.toString('latin1', 4, 8)
    isFragmented ||= name === 'moof'
    if (name === 'moov') indexes += 1
    const short = head.readUInt32BE(0)
    // The last one may leave open how long it is; zeros that fill a file up look like it.
    if (short === 0) return { isWhole: true, isFragmented, hasMore: indexes > 1 }
    const isLong = short === 1
    if (isLong && head.length < 16) break
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short
    if (size < (isLong ? 16 : 8)) break
    at += size
  }
  return { isWhole: at === file.length, isFragmented, hasMore: indexes > 1 }
}
