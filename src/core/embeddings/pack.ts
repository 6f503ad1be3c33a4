/** Vectors as bytes: 32-bit floats, one vector behind the other, the lowest byte first. */
import { littleEndian } from '#platform/bytes'

export const packVectors = (vectors: readonly Float32Array[]): Buffer =>
  Buffer.concat(vectors.map(littleEndian))

/** The floats of all of them in one row; copied where the bytes do not lie on a border of four. */
export function unpackVectors(bytes: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

/** What the journal keeps of a paid call until its vectors are stored. */
export const replyOf = (vectors: readonly Float32Array[]): string =>
  JSON.stringify({ dimensions: vectors[0]?.length ?? 0, vectors: packVectors(vectors).toString('base64') })

/** What `replyOf` wrote. */
export function vectorsIn(reply: string): Float32Array[] {
  const { dimensions, vectors } = JSON.parse(reply) as { dimensions: number; vectors: string }
  const floats = unpackVectors(Buffer.from(vectors, 'base64'))
  return Array.from({ length: floats.length / dimensions }, (_, at) =>
    floats.subarray(at * dimensions, (at + 1) * dimensions),
  )
}
