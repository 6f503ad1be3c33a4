/**
 * Finds the ended requests that match, newest first, without reading those that do not: the newest by the order of the list, those after the last
 * segment by their positions, and the rest by the segments (docs/decisions/account/requests.md).
 */
import type { Filter } from '../filter.ts'
import { type FoundRequest, findNewest, findUnsealed, type Place, type SearchReader } from '../settlements.ts'
import { type Candidates, candidatesIn } from './candidates.ts'
import { FoundRequests } from './found.ts'
import { findSegments, type RequestSegment, readSlots } from './store.ts'
import { termGroups } from './terms.ts'

/** So many segments are read at first; each further read takes eight times as many, up to the maximum. */
const firstSegments = 16
const maxSegments = 1024
/** So many candidates more than the page needs are read at first, since some may not match; each further read takes twice as many. */
const spareCandidates = 16
const maxCandidates = 1024

interface Search {
  db: SearchReader
  filter: Filter
  /** The requests after this place are searched. */
  place: Place | undefined
  found: FoundRequests
}

/** Returns at most `limit` requests after `place` in the list. */
export async function findSettled(
  db: SearchReader,
  filter: Filter,
  place: Place | undefined,
  limit: number,
): Promise<FoundRequest[]> {
  const groups = termGroups(filter)
  if (groups.some((group) => group.length === 0)) return []
  const newest = await findNewest(db, filter, place, limit)
  if (newest.length >= limit) return newest
  // Read before the settlements after it, so that a segment that is written meanwhile hides nothing.
  const { segments, sealed } = await findSegments(db, filter.accountId)
  const found = new FoundRequests(limit)
  found.add(await findUnsealed(db, filter, { place, limit, sealed }))
  await searchSegments({ db, filter, place, found }, segments)
  return found.rows
}

async function searchSegments(search: Search, all: readonly RequestSegment[]): Promise<void> {
  const { db, filter, place, found } = search
  // A place has microseconds, a date has none.
  const end = place && Date.parse(place.began) + 1
  const to = new Date(Math.min(end ?? Infinity, filter.to?.getTime() ?? Infinity))
  const times = { from: filter.from, to: Number.isNaN(to.getTime()) ? undefined : to }
  const segments = all.filter(
    ({ beganFirst, beganLast }) =>
      (times.from === undefined || beganLast >= times.from.getTime() * 1000) &&
      (times.to === undefined || beganFirst < times.to.getTime() * 1000),
  )
  let size = firstSegments
  for (let at = 0; at < segments.length; ) {
    const some = segments.slice(at, at + size)
    at += some.length
    size = Math.min(maxSegments, 8 * size)
    await readCandidates(search, await candidatesIn(db, filter, some, times))
    if (found.isFullBefore(segments[at])) return
  }
}

/** Adds the candidates that match, those of the first segments first, until no other can stand before the end of the page. */
async function readCandidates(search: Search, waiting: Candidates[]): Promise<void> {
  const { db, filter, place, found } = search
  let size = found.limit + spareCandidates
  for (let at = 0; at < waiting.length; ) {
    const slots = takeSlots(waiting.slice(at), size, found.limit)
    const rows = await readSlots(db, filter, place, slots)
    found.add(rows)
    for (const { segment } of rows) waiting.find((one) => one.segment.lastPosition === segment)!.matches++
    while (at < waiting.length && isRead(waiting[at]!, found.limit)) at++
    if (found.isFullBefore(waiting[at]?.segment)) return
    size = Math.min(maxCandidates, 2 * size)
  }
}

/** A page takes no more of a segment than it has rows, and those are its newest. */
const isRead = ({ slots, matches }: Candidates, limit: number): boolean =>
  slots.length === 0 || matches >= limit

function takeSlots(waiting: readonly Candidates[], size: number, limit: number) {
  const taken: { segment: Candidates['segment']; slot: number }[] = []
  for (const one of waiting) {
    if (taken.length >= size) break
    if (isRead(one, limit)) continue
    for (const slot of one.slots.splice(0, limit - one.matches)) taken.push({ segment: one.segment, slot })
  }
  return taken
}
