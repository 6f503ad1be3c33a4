/** An ID3v2.4 tag with one comment, which stands before the frames of an mp3; players and tools show it, decoders skip it. */
export function id3Of(note: string): Uint8Array {
  const text = Buffer.from(note)
  const comment = Buffer.concat([
    Buffer.from([3]), // UTF-8
    Buffer.from('eng\0'), // its language, and no description
    text,
  ])
  return Buffer.concat([
    Buffer.from('ID3'),
    Buffer.from([4, 0, 0]), // version 2.4.0, no flags
    synchsafeBytes(10 + comment.length),
    Buffer.from('COMM'),
    synchsafeBytes(comment.length),
    Buffer.from([0, 0]),
    comment,
  ])
}

/** 28 bits in four bytes, so that no byte looks like the beginning of a frame. */
const synchsafeBytes = (value: number): Uint8Array =>
  Uint8Array.of((value >> 21) & 0x7f, (value >> 14) & 0x7f, (value >> 7) & 0x7f, value & 0x7f)
