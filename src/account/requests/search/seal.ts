/** Writes segments: whenever an account has enough new settlements, they become one. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '#platform/db'
import { chargePortions } from './charges.ts'
import { bucketOf, writePostings } from './postings.ts'
import { segmentSize } from './slots.ts'
import {
  countWaiting,
  insertSegment,
  type Settlement,
  sealedPosition,
  settlementsAfter,
  setWaiting,
} from './store.ts'
import { fields, placesOfTerms } from './terms.ts'

/** Writes all segments that can be written, until `stopping` aborts. */
export async function sealAll(db: Db, stopping: AbortSignal): Promise<void> {
  for (const accountId of await countWaiting(db))
    while (!stopping.aborted && (await sealNext(db, accountId)));
}

/** Writes the next segment of an account; returns false if it has too few settlements for one, or another process has just written it and goes on. */
async function sealNext(db: Db, accountId: string): Promise<boolean> {
  const settlements = await settlementsAfter(db, accountId, await sealedPosition(db, accountId))
  if (settlements.length < segmentSize) {
    await db.tx((tx) => setWaiting(tx, accountId, settlements.length))
    return false
  }
  const lastPosition = settlements.at(-1)!.position
  settlements.sort(byBeginning)
  const postings = await postingsOf(settlements)
  const { portions, bounds: charges } = chargePortions(settlements.map(({ charged }) => charged))
  return db.tx(async (tx) => {
    const isNew = await insertSegment(tx, {
      accountId,
      lastPosition,
      settlements,
      postings,
      portions,
      charges,
    })
    if (isNew) await setWaiting(tx, accountId, 'one segment less')
    return isNew
  })
}

/** The order of the list, turned round: the oldest first. */
function byBeginning(one: Settlement, other: Settlement): number {
  if (one.began_at !== other.began_at) return one.began_at < other.began_at ? -1 : 1
  return one.receipt_id < other.receipt_id ? -1 : 1
}

/** The slots of each term, as the bytes of buckets. After each field other work of the process has its turn. */
async function postingsOf(settlements: readonly Settlement[]): Promise<ReadonlyMap<number, Buffer>> {
  const buckets = new Map<number, Map<number, readonly number[]>>()
  for (const field of fields) {
    for (const [term, slots] of placesOfTerms(settlements, field)) {
      const bucket = bucketOf(term)
      const terms = buckets.get(bucket)
      const others = terms?.get(term)
      if (!terms) buckets.set(bucket, new Map([[term, slots]]))
      else terms.set(term, others ? merged(others, slots) : slots)
    }
    await turn()
  }
  return new Map([...buckets].map(([bucket, terms]) => [bucket, writePostings(terms)]))
}

/** The slots of two values that share a term. */
const merged = (one: readonly number[], other: readonly number[]): number[] =>
  [...new Set([...one, ...other])].sort((a, b) => a - b)
