/** The slots of segments that a filter may match, by their terms, charges and times. */

import type { Filter } from '../filter.ts'
import type { SearchReader } from '../settlements.ts'
import type { SlotsBySegment } from './cache.ts'
import { type ChargeRange, portionsFor, slotsCharged } from './charges.ts'
import { bucketOf, readPostings } from './postings.ts'
import { intersection, noSlots, type Slots, segmentSize, slotsBetween, slotsPerTime, union } from './slots.ts'
import { beginnings, findPortions, findPostings, portionId, type RequestSegment } from './store.ts'
import { termGroups } from './terms.ts'

export interface Candidates {
  segment: RequestSegment
  /** The slots that were not read yet, the newest first. */
  slots: number[]
  /** How many of those that were read match. */
  matches: number
}

interface Times {
  from: Date | undefined
  /** Exclusive. */
  to: Date | undefined
}

/** A segment and those of its slots that may match; all, as long as nothing excludes any. */
interface SegmentSlots {
  segment: RequestSegment
  slots: Slots | 'all'
}

/** The candidates of each segment that has any, in the order of the segments. */
export async function candidatesIn(
  db: SearchReader,
  filter: Filter,
  segments: readonly RequestSegment[],
  times: Times,
): Promise<Candidates[]> {
  const withTerms = await keepTerms(
    db,
    filter,
    segments.map((segment) => ({ segment, slots: 'all' })),
  )
  const left = await keepCharges(db, filter, withTerms)
  const bounds = await slotBounds(
    db,
    filter.accountId,
    left.map(({ segment }) => segment),
    times,
  )
  return left
    .map(({ segment, slots }) => {
      const { first, end } = bounds(segment)
      return { segment, slots: slotsBetween(slots === 'all' ? allSlots : slots, first, end), matches: 0 }
    })
    .filter(({ slots }) => slots.length > 0)
}

const allSlots = new Uint32Array(segmentSize / 32).fill(0xffffffff)

/** Leaves the slots that `slotsOf` has too, and the segments that then have any. */
const keep = (
  selected: readonly SegmentSlots[],
  slotsOf: (segment: RequestSegment) => Slots,
): SegmentSlots[] =>
  selected
    .map(({ segment, slots }) => {
      const kept = slotsOf(segment)
      return { segment, slots: slots === 'all' ? kept : intersection(slots, kept) }
    })
    .filter(({ slots }) => slots.length > 0)

/** Leaves the slots that have a term of each group. */
async function keepTerms(
  db: SearchReader,
  filter: Filter,
  selected: readonly SegmentSlots[],
): Promise<readonly SegmentSlots[]> {
  const groups = termGroups(filter)
  const terms = await slotsOfTerms(db, filter.accountId, [...new Set(groups.flat())], selected)
  return groups.reduce(
    (left, group) =>
      keep(left, ({ lastPosition }) =>
        union(group.map((term) => terms.get(term)?.get(lastPosition) ?? noSlots)),
      ),
    selected,
  )
}

/** The slots of each term in these segments; what the process does not know yet is read at once. */
async function slotsOfTerms(
  db: SearchReader,
  accountId: string,
  terms: readonly number[],
  selected: readonly SegmentSlots[],
): Promise<ReadonlyMap<number, SlotsBySegment>> {
  const positions = selected.map(({ segment }) => segment.lastPosition)
  const known = new Map(terms.map((term) => [term, db.cache.slots(accountId, `term ${term}`)]))
  const isUnknown = (term: number, position: bigint): boolean => known.get(term)?.has(position) !== true
  const unknown = terms.filter((term) => positions.some((position) => isUnknown(term, position)))
  if (unknown.length === 0) return known
  const wanted = positions.filter((position) => unknown.some((term) => isUnknown(term, position)))
  const stored = new Map<string, Buffer>()
  for (const row of await findPostings(db, accountId, wanted, [...new Set(unknown.map(bucketOf))]))
    stored.set(`${row.last_position} ${row.bucket}`, row.terms)
  for (const term of unknown) {
    const added = new Map<bigint, Slots>()
    for (const position of wanted.filter((one) => isUnknown(term, one))) {
      const bucket = stored.get(`${position} ${bucketOf(term)}`)
      added.set(position, bucket ? readPostings(bucket, term) : noSlots)
    }
    known.set(term, db.cache.addSlots(accountId, `term ${term}`, added))
  }
  return known
}

/** Leaves the slots that were charged no less and no more than the filter names. */
async function keepCharges(
  db: SearchReader,
  { accountId, minMicrocredits: min, maxMicrocredits: max }: Filter,
  selected: readonly SegmentSlots[],
): Promise<readonly SegmentSlots[]> {
  if (min === undefined && max === undefined) return selected
  const range = { min, max }
  const partly: RequestSegment[] = []
  const possible = selected.filter(({ segment }) => {
    const portions = portionsFor(segment.charges, range)
    if (typeof portions === 'object') partly.push(segment)
    return portions !== 'none'
  })
  const within = await slotsWithin(db, accountId, range, partly)
  return possible.flatMap((one) => {
    const slots = within.get(one.segment.lastPosition)
    return slots ? keep([one], () => slots) : [one]
  })
}

/** The slots of these segments that were charged within the range; what the process does not know yet is read. */
async function slotsWithin(
  db: SearchReader,
  accountId: string,
  range: ChargeRange,
  segments: readonly RequestSegment[],
): Promise<SlotsBySegment> {
  const name = `charged ${range.min ?? ''}-${range.max ?? ''}`
  const known = db.cache.slots(accountId, name)
  const wanted = segments.flatMap((segment) => {
    const portions = portionsFor(segment.charges, range)
    return known.has(segment.lastPosition) || typeof portions === 'string' ? [] : [{ segment, portions }]
  })
  if (wanted.length === 0) return known
  const rows = await findPortions(db, accountId, wanted)
  const added = new Map<bigint, Slots>()
  for (const { segment, portions } of wanted) {
    const portion = (nth: number) => rows.get(portionId(segment.lastPosition, nth))
    added.set(segment.lastPosition, slotsCharged(segment.charges, range, portions, portion))
  }
  return db.cache.addSlots(accountId, name, added)
}

/** The slots of each segment that can lie in these times, from `first` to before `end`. */
async function slotBounds(
  db: SearchReader,
  accountId: string,
  segments: readonly RequestSegment[],
  { from, to }: Times,
): Promise<(segment: RequestSegment) => { first: number; end: number }> {
  const minTime = from && from.getTime() * 1000
  const maxTime = to && to.getTime() * 1000
  const partly = segments.filter(
    ({ beganFirst, beganLast }) =>
      (minTime !== undefined && beganFirst < minTime) || (maxTime !== undefined && beganLast >= maxTime),
  )
  const began = partly.length > 0 ? await beginnings(db, accountId, partly) : new Map<bigint, number[]>()
  return ({ lastPosition }) => {
    const times = began.get(lastPosition)
    const late = maxTime === undefined ? -1 : (times?.findIndex((time) => time >= maxTime) ?? -1)
    const early = minTime === undefined ? -1 : (times?.findLastIndex((time) => time < minTime) ?? -1)
    return {
      first: early === -1 ? 0 : early * slotsPerTime,
      end: late === -1 ? segmentSize : late * slotsPerTime,
    }
  }
}
