/** Finds the requests of a page: those under way, and those that have ended. */
import type { Filter } from './filter.ts'
import { findSettled } from './search/find.ts'
import { FoundRequests } from './search/found.ts'
import {
  type FoundRequest,
  findByIdempotencyKey,
  findRunning,
  type Place,
  type SearchReader,
} from './settlements.ts'

/** At most `limit` requests that match and stand after `after` in the list, newest first. */
export async function findRequests(
  db: SearchReader,
  wanted: Filter,
  after: Place | undefined,
  limit: number,
): Promise<FoundRequest[]> {
  const { filter, place } = withOneEnd(wanted, after)
  const { state, idempotencyKey } = filter
  const found = new FoundRequests(limit)
  const isRunning = state === 'running' || state === undefined
  // Read first: a call that ends meanwhile is then found twice and not never, and counted as ended.
  const running = isRunning ? await findRunning(db, filter, place, limit) : []
  if (state !== 'running')
    found.add(
      await (idempotencyKey === undefined ? findSettled : findByIdempotencyKey)(db, filter, place, limit),
    )
  found.add(running)
  return found.rows
}

/**
 * Of the last moment of a filter and the place of a page only the earlier one: the database begins to read the list at one of the two, and would go
 * through everything between them if that were the later one. A place has microseconds, the moments of filters have none.
 */
function withOneEnd(filter: Filter, place: Place | undefined): { filter: Filter; place: Place | undefined } {
  if (!place || !filter.to) return { filter, place }
  return Date.parse(place.began) >= filter.to.getTime()
    ? { filter, place: undefined }
    : { filter: { ...filter, to: undefined }, place }
}
