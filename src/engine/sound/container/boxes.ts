/** Boxes with which MP4 and QuickTime files begin (ISO 14496-12); some old ones have no `ftyp`. */
const firstBoxes = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot'])

export const beginsLikeMp4 = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && firstBoxes.has(String.fromCharCode(...bytes.subarray(4, 8)))

/** Whether the outermost boxes end exactly where the file ends: what was cut lacks some of the last. */
export function hasWholeBoxes(bytes: Buffer): boolean {
  let at = 0
  while (at + 8 <= bytes.length) {
    const short = bytes.readUInt32BE(at)
    // The last one may leave open how long it is; zeros that fill a file up look like it.
    if (short === 0) return true
    if (short === 1 && at + 16 > bytes.length) return false
    const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short
    if (size < (short === 1 ? 16 : 8)) return false
    at += size
  }
  return at === bytes.length
}
