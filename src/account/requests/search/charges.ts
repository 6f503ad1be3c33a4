/**
 * The slots of a segment by what they were charged: in ascending order, in portions. A portion has the set of all slots before it, so that the slots
 * within two amounts are read from at most two portions. The segment itself knows where portions begin, and its highest charge.
 */
import {
  addSlot,
  bitsOf,
  difference,
  emptyBits,
  manySlots,
  noSlots,
  readBits,
  type SlotBits,
  type Slots,
  union,
  writeBits,
} from './slots.ts'

export interface ChargePortion {
  nth: number
  /** The slots of the portions before it. */
  before: Buffer
  /** Slot and charge, less the lowest of the portion, of each of its own. */
  entries: Buffer
}

const portionSize = 128
const slotBytes = 2
/** Enough for the charges of a portion; those further apart are put into different ones. */
const chargeBytes = 5
const entryBytes = slotBytes + chargeBytes
const portionSpan = 1n << BigInt(8 * chargeBytes)

/** Portions of the charges of all slots, and the lowest charge of each followed by the highest of the last. */
export function chargePortions(charges: readonly bigint[]): { portions: ChargePortion[]; bounds: bigint[] } {
  const ascending = charges
    .map((charge, slot) => ({ charge, slot }))
    .sort((one, other) => (one.charge < other.charge ? -1 : one.charge > other.charge ? 1 : 0))
  const before = emptyBits()
  const portions: ChargePortion[] = []
  const bounds: bigint[] = []
  for (let from = 0; from < ascending.length; ) {
    const lowest = ascending[from]!.charge
    const own = ascending
      .slice(from, from + portionSize)
      .filter(({ charge }) => charge - lowest < portionSpan)
    portions.push({ nth: portions.length, before: writeBits(before), entries: entriesOf(own, lowest) })
    bounds.push(lowest)
    for (const { slot } of own) addSlot(before, slot)
    from += own.length
  }
  return { portions, bounds: [...bounds, ascending.at(-1)!.charge] }
}

function entriesOf(own: readonly { charge: bigint; slot: number }[], lowest: bigint): Buffer {
  const entries = Buffer.allocUnsafe(entryBytes * own.length)
  own.forEach(({ charge, slot }, at) => {
    entries.writeUInt16LE(slot, entryBytes * at)
    entries.writeUIntLE(Number(charge - lowest), entryBytes * at + slotBytes, chargeBytes)
  })
  return entries
}

/** Amounts in micro-credits, both included. */
export interface ChargeRange {
  min: bigint | undefined
  max: bigint | undefined
}

/** The portions to read for a range: those in which its ends lie, and whether the sets of slots before them are needed too. */
export interface WantedPortions {
  first: number
  last: number
  isBetween: boolean
}

/** `all` or `none` where the charges of the segment tell without its portions. */
export function portionsFor(
  bounds: readonly bigint[] | BigInt64Array,
  { min, max }: ChargeRange,
): WantedPortions | 'all' | 'none' {
  const count = bounds.length - 1
  if ((min !== undefined && min > bounds[count]!) || (max !== undefined && max < bounds[0]!)) return 'none'
  if ((min === undefined || min <= bounds[0]!) && (max === undefined || max >= bounds[count]!)) return 'all'
  let first = 0
  let last = count - 1
  if (min !== undefined) while (first + 1 < count && bounds[first + 1]! < min) first++
  if (max !== undefined) while (last > first && bounds[last]! > max) last--
  return { first, last, isBetween: last - first > 1 }
}

/** The slots within the range, of the portions that are wanted. */
export function slotsCharged(
  bounds: BigInt64Array,
  range: ChargeRange,
  { first, last, isBetween }: WantedPortions,
  portion: (nth: number) => { before: Buffer | null; entries: Buffer } | undefined,
): Slots {
  const low = portion(first)
  const high = portion(last)
  // An account that is deleted meanwhile has no portions.
  if (!low || !high) return noSlots
  const ends = [within(low.entries, bounds[first]!, range)]
  if (last !== first) ends.push(within(high.entries, bounds[last]!, range))
  if (!isBetween) return compact(union(ends))
  const upToFirst = union([bitsBefore(low.before), bitsOf(within(low.entries, bounds[first]!, everything))])
  return union([difference(bitsBefore(high.before), bitsOf(upToFirst)), ...ends])
}

const everything: ChargeRange = { min: undefined, max: undefined }

const bitsBefore = (bytes: Buffer | null): SlotBits => (bytes ? readBits(bytes, 0) : emptyBits())

function within(entries: Buffer, lowest: bigint, { min, max }: ChargeRange): Slots {
  const least = min === undefined ? 0 : Number(min - lowest)
  const greatest = max === undefined ? Infinity : Number(max - lowest)
  const slots: number[] = []
  for (let at = 0; at < entries.length; at += entryBytes) {
    const charge = entries.readUIntLE(at + slotBytes, chargeBytes)
    if (least <= charge && charge <= greatest) slots.push(entries.readUInt16LE(at))
  }
  return Uint16Array.from(slots).sort()
}

/** Few slots as a list. */
function compact(slots: Slots): Slots {
  if (slots instanceof Uint16Array) return slots
  const list: number[] = []
  for (let slot = 0; slot < 32 * slots.length; slot++)
    if ((slots[slot >>> 5]! & (1 << (slot & 31))) !== 0) list.push(slot)
  return list.length < manySlots ? Uint16Array.from(list) : slots
}
