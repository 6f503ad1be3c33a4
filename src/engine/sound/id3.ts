/** An ID3v2.4 tag with one comment, for formats whose players skip such a tag at their beginning: mp3 and aac. */
export function commentTag(note: string): Uint8Array {
  // UTF-8, a language, an empty description, the text.
  const body = Buffer.concat([Buffer.from('\x03eng\0'), Buffer.from(note)])
  const frame = Buffer.concat([Buffer.from('COMM'), synchsafe(body.length), Buffer.alloc(2), body])
  return Buffer.concat([Buffer.from('ID3\x04\0\0'), synchsafe(frame.length), frame])
}

/** Lengths in ID3 have seven bits in each byte, so that no byte looks like the beginning of a frame. */
const synchsafe = (length: number): Uint8Array =>
  Uint8Array.from([21, 14, 7, 0], (shift) => (length >> shift) & 0x7f)
