/** The comments of Vorbis, which Opus and FLAC use too: who wrote the file, and a note, which tools show as its comment. */
export function vorbisComment(vendor: string, note?: string): Uint8Array {
  const notes = note === undefined ? [] : [`DESCRIPTION=${note}`]
  return Buffer.concat([counted(vendor), lengthOf(notes.length), ...notes.map(counted)])
}

const counted = (text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  return Buffer.concat([lengthOf(bytes.length), bytes])
}

function lengthOf(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
