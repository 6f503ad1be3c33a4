/** The slots that have each term, in the bytes of a bucket: term, number of slots, and the slots themselves or, of many, a bit for each. */
import { bitsOf, bytesOfBits, manySlots, noSlots, readBits, type Slots, writeBits } from './slots.ts'

export const buckets = 256
export const bucketOf = (term: number): number => term % buckets

const headBytes = 6

/** The bytes of a bucket. */
export function writePostings(terms: ReadonlyMap<number, readonly number[]>): Buffer {
  const parts: Buffer[] = []
  for (const [term, slots] of terms) {
    const head = Buffer.allocUnsafe(headBytes)
    head.writeUInt32LE(term, 0)
    head.writeUInt16LE(slots.length, 4)
    parts.push(head, slots.length < manySlots ? listOf(slots) : writeBits(bitsOf(Uint16Array.from(slots))))
  }
  return Buffer.concat(parts)
}

function listOf(slots: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(2 * slots.length)
  slots.forEach((slot, at) => {
    bytes.writeUInt16LE(slot, 2 * at)
  })
  return bytes
}

/** The slots that have a term. */
export function readPostings(bytes: Buffer, term: number): Slots {
  let at = 0
  while (at < bytes.length) {
    const count = bytes.readUInt16LE(at + 4)
    const body = at + headBytes
    if (bytes.readUInt32LE(at) === term)
      return count < manySlots
        ? Uint16Array.from({ length: count }, (_, nth) => bytes.readUInt16LE(body + 2 * nth))
        : readBits(bytes, body)
    at = body + (count < manySlots ? 2 * count : bytesOfBits)
  }
  return noSlots
}
