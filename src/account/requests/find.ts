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

/** At most `limit` requests that match and stand after `place` in the list, newest first. */
export async function findRequests(
  db: SearchReader,
  filter: Filter,
  place: Place | undefined,
  limit: number,
): Promise<FoundRequest[]> {
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
