/** The comments of Vorbis, which Opus and FLAC use too: who wrote the file, and a note. */
export function vorbisComment(vendor: string, note: string | undefined): Uint8Array {
  const entries = note ? [sized(`COMMENT=${note}`)] : []
  return Buffer.concat([sized(vendor), numberOf(entries.length), ...entries])
}

function sized(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  return Buffer.concat([numberOf(bytes.length), bytes])
}

function numberOf(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
