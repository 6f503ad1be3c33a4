/** Boxes with which MP4 and QuickTime files begin (ISO 14496-12); some old ones have no `ftyp`. */
const firstBoxes = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot'])

export const beginsLikeMp4 = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && firstBoxes.has(String.fromCharCode(...bytes.subarray(4, 8)))

export interface OuterBoxes {
  /** Whether they end exactly where the file ends: what was cut lacks some of the last. */
  isWhole: boolean
  isFragmented: boolean
}

export function walkBoxes(bytes: Buffer): OuterBoxes {
  let isFragmented = false
  let at = 0
  while (at + 8 <= bytes.length) {
    isFragmented ||= bytes.toString('latin1', at + 4, at + 8) === 'moof'
    const short = bytes.readUInt32BE(at)
    // The last one may leave open how long it is; zeros that fill a file up look like it.
    if (short === 0) return { isWhole: true, isFragmented }
    const isLong = short === 1
    if (isLong && at + 16 > bytes.length) break
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short
    if (size < (isLong ? 16 : 8)) break
    at += size
  }
  return { isWhole: at === bytes.length, isFragmented }
}
