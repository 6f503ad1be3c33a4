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
import { termsOf } from './terms.ts'

/** After so many requests other work of the process has its turn. */
const requestsPerTurn = 512

/** Writes all segments that can be written, until `stopping` aborts. */
export async function sealAll(db: Db, stopping: AbortSignal): Promise<void> {
  for (const accountId of await countWaiting(db))
    while (!stopping.aborted && (await sealNext(db, accountId)));
}

/** Writes the next segment of an account; returns false if it has too few settlements for one. */
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
  await db.tx(async (tx) => {
    const isNew = await insertSegment(tx, {
      accountId,
      lastPosition,
      settlements,
      postings,
      portions,
      charges,
    })
    if (isNew) await setWaiting(tx, accountId, 'one segment less')
  })
  return true
}

/** The order of the list, turned round: the oldest first. */
function byBeginning(one: Settlement, other: Settlement): number {
  if (one.began_at !== other.began_at) return one.began_at < other.began_at ? -1 : 1
  return one.receipt_id < other.receipt_id ? -1 : 1
}

async function postingsOf(settlements: readonly Settlement[]): Promise<ReadonlyMap<number, Buffer>> {
  const buckets = new Map<number, Map<number, number[]>>()
  for (const [slot, settlement] of settlements.entries()) {
    for (const term of termsOf(settlement)) {
      const terms = getOrAdd(buckets, bucketOf(term), () => new Map<number, number[]>())
      const slots = getOrAdd(terms, term, () => [])
      // Two values of one request may share a term.
      if (slots.at(-1) !== slot) slots.push(slot)
    }
    if (slot % requestsPerTurn === requestsPerTurn - 1) await turn()
  }
  return new Map([...buckets].map(([bucket, terms]) => [bucket, writePostings(terms)]))
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
