/**
 * Sets of slots. A slot is the place of a request in its segment, by the time at which it began. Few slots are an ascending list, many are one bit
 * for each; no set is changed once others have it.
 */

/** How many requests a segment has. */
export const segmentSize = 8_192
/** A segment knows when every so many of its slots began. */
export const slotsPerTime = 64
const words = segmentSize / 32
export const bytesOfBits = segmentSize / 8
/** From this number on the bits take no more bytes than the list. */
export const manySlots = bytesOfBits / 2

/** One bit for each slot. */
export type SlotBits = Uint32Array
/** Slots in ascending order. */
export type SlotList = Uint16Array
export type Slots = SlotBits | SlotList

export const noSlots: SlotList = new Uint16Array(0)

export const emptyBits = (): SlotBits => new Uint32Array(words)

export function addSlot(bits: SlotBits, slot: number): void {
  bits[slot >>> 5]! |= 1 << (slot & 31)
}

const hasSlot = (bits: SlotBits, slot: number): boolean => (bits[slot >>> 5]! & (1 << (slot & 31))) !== 0

/** Reads what `writeBits` wrote; the bytes may lie anywhere in their buffer. */
export function readBits(bytes: Buffer, offset: number): SlotBits {
  const bits = emptyBits()
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, bytesOfBits)
  for (let word = 0; word < words; word++) bits[word] = view.getUint32(4 * word, true)
  return bits
}

export function writeBits(bits: SlotBits): Buffer {
  const bytes = Buffer.allocUnsafe(bytesOfBits)
  for (let word = 0; word < words; word++) bytes.writeUInt32LE(bits[word]!, 4 * word)
  return bytes
}

export function bitsOf(slots: Slots): SlotBits {
  if (slots instanceof Uint32Array) return slots
  const bits = emptyBits()
  for (const slot of slots) addSlot(bits, slot)
  return bits
}

/** The slots that both have. */
export function intersection(one: Slots, other: Slots): Slots {
  if (one instanceof Uint16Array) {
    const bits = bitsOf(other)
    return one.filter((slot) => hasSlot(bits, slot))
  }
  if (other instanceof Uint16Array) return intersection(other, one)
  const both = emptyBits()
  let isEmpty = true
  for (let word = 0; word < words; word++) {
    const shared = one[word]! & other[word]!
    both[word] = shared
    if (shared !== 0) isEmpty = false
  }
  return isEmpty ? noSlots : both
}

/** The slots that one of them has. */
export function union(all: readonly Slots[]): Slots {
  if (all.length === 1) return all[0]!
  const together = emptyBits()
  for (const slots of all)
    if (slots instanceof Uint16Array) for (const slot of slots) addSlot(together, slot)
    else for (let word = 0; word < words; word++) together[word]! |= slots[word]!
  return together
}

/** The slots of the first that the second lacks. */
export function difference(one: SlotBits, other: SlotBits): SlotBits {
  return one.map((word, at) => word & ~other[at]!)
}

/** The slots from `first` to before `end`, the newest first. */
export function slotsBetween(slots: Slots, first: number, end: number): number[] {
  const isBetween = (slot: number): boolean => first <= slot && slot < end
  if (slots instanceof Uint16Array) return Array.from(slots).reverse().filter(isBetween)
  const between: number[] = []
  for (let word = words - 1; word >= 0; word--) {
    let bits = slots[word]!
    while (bits !== 0) {
      const bit = 31 - Math.clz32(bits)
      bits = (bits & ~(1 << bit)) >>> 0
      const slot = 32 * word + bit
      if (isBetween(slot)) between.push(slot)
    }
  }
  return between
}
