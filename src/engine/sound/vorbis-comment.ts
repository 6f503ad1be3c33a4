/** The comments of Vorbis, which Opus and FLAC use too: who wrote the file, and no more. */
export function vorbisComment(vendor: string): Uint8Array {
  const text = Buffer.from(vendor)
  const bytes = Buffer.alloc(4 + text.length + 4)
  bytes.writeUInt32LE(text.length)
  text.copy(bytes, 4)
  return bytes
}
