/** Vectors as bytes: 32-bit floats, one vector after the other, the lowest byte first. */
import { littleEndian } from '#platform/bytes'

export const packVectors = (vectors: readonly Float32Array[]): Buffer =>
  Buffer.concat(vectors.map(littleEndian))

/** The floats of all vectors in one row. The bytes are copied where they are not aligned to four. */
export function unpackVectors(bytes: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

/** The JSON that the journal keeps for a paid call until its vectors are stored. */
export const vectorsJson = (vectors: readonly Float32Array[]): string =>
  JSON.stringify({ dimensions: vectors[0]?.length ?? 0, vectors: packVectors(vectors).toString('base64') })

/** The vectors in a text that `vectorsJson` wrote. */
export function parseVectors(reply: string): Float32Array[] {
  const { dimensions, vectors } = JSON.parse(reply) as { dimensions: number; vectors: string }
  const floats = unpackVectors(Buffer.from(vectors, 'base64'))
  return Array.from({ length: floats.length / dimensions }, (_, at) =>
    floats.subarray(at * dimensions, (at + 1) * dimensions),
  )
}
