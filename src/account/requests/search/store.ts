import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { Filter } from '../filter.ts'
import {
  after,
  type FoundRequest,
  matching,
  ofSettlement,
  type Place,
  type Reader,
  type SearchReader,
} from '../settlements.ts'
import type { ChargePortion, WantedPortions } from './charges.ts'
import { segmentSize, slotsPerTime } from './slots.ts'
import type { TermValues } from './terms.ts'

/** Consecutive settlements of an account; `lastPosition` is its name. */
export interface RequestSegment {
  lastPosition: bigint
  /** When the first and the last of its requests began, in microseconds since 1970. */
  beganFirst: number
  beganLast: number
  /** The lowest charge of each portion, and the highest of the last. */
  charges: BigInt64Array
}

interface SegmentColumns {
  sealed: bigint
  position: bigint | null
  first: bigint
  last: bigint
  charges: Buffer
}

const microseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`

/**
 * The segments that an account has, those with the newest requests first, and the position up to which they reach: 0 if there are none. Only those that the
 * process does not know yet are read; a transaction that began earlier may see fewer than the process knows.
 */
export async function findSegments(
  { kysely, cache }: SearchReader,
  accountId: string,
): Promise<{ segments: readonly RequestSegment[]; sealed: bigint }> {
  const known = cache.directory(accountId)
  const { rows } = await sql<SegmentColumns>`
    select l.sealed, g.last_position as position, ${microseconds('g.began_first')} as first, ${microseconds('g.began_last')} as last, g.charges
    from (select coalesce(max(last_position), 0) as sealed from requests.segments where account_id = ${accountId}) l
    left join requests.segments g on g.account_id = ${accountId} and g.last_position > ${known.lastPosition}`.execute(
    kysely,
  )
  const sealed = rows[0]!.sealed
  const added = rows.filter(({ position }) => position !== null).map(segmentOf)
  if (added.length === 0) {
    const isSeen = ({ lastPosition }: RequestSegment): boolean => lastPosition <= sealed
    return { segments: known.lastPosition <= sealed ? known.segments : known.segments.filter(isSeen), sealed }
  }
  const segments = [...known.segments, ...added].sort(newestSegmentFirst)
  cache.setDirectory(accountId, { segments, lastPosition: sealed })
  return { segments, sealed }
}

const segmentOf = ({ position, first, last, charges }: SegmentColumns): RequestSegment => ({
  lastPosition: position!,
  beganFirst: Number(first),
  beganLast: Number(last),
  charges: BigInt64Array.from({ length: charges.length / 8 }, (_, nth) => charges.readBigInt64LE(8 * nth)),
})

function newestSegmentFirst(one: RequestSegment, other: RequestSegment): number {
  if (one.beganLast !== other.beganLast) return other.beganLast - one.beganLast
  return one.lastPosition < other.lastPosition ? 1 : -1
}

/** The position up to which an account has segments; 0 if it has none. */
export async function sealedPosition({ kysely }: Reader, accountId: string): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`
    select coalesce(max(last_position), 0) as position from requests.segments where account_id = ${accountId}`.execute(
    kysely,
  )
  return rows[0]!.position
}

/** When every so many requests of these segments began (`slotsPerTime`), in microseconds since 1970. */
export async function beginnings(
  { kysely }: Reader,
  accountId: string,
  segments: readonly RequestSegment[],
): Promise<ReadonlyMap<bigint, number[]>> {
  const positions = segments.map(({ lastPosition }) => String(lastPosition))
  const { rows } = await sql<{ last_position: bigint; began: string[] }>`
    select g.last_position, array(select (extract(epoch from b) * 1000000)::bigint::text from unnest(g.began_at) b) as began
    from requests.segments g where g.account_id = ${accountId} and g.last_position = any(${positions}::bigint[])`.execute(
    kysely,
  )
  return new Map(rows.map((row) => [row.last_position, row.began.map(Number)]))
}

export interface Bucket {
  last_position: bigint
  bucket: number
  terms: Buffer
}

/** These buckets of the segments with these positions. */
export async function findPostings(
  { kysely }: Reader,
  accountId: string,
  positions: readonly bigint[],
  buckets: readonly number[],
): Promise<Bucket[]> {
  const { rows } = await sql<Bucket>`
    select p.last_position, p.bucket, p.terms from requests.postings p
    where p.account_id = ${accountId} and p.bucket = any(${buckets}::smallint[]) and p.last_position = any(${positions.map(String)}::bigint[])`.execute(
    kysely,
  )
  return rows
}

export type StoredPortion = Pick<ChargePortion, 'entries'> & { before: Buffer | null }

export const portionId = (lastPosition: bigint, nth: number): string => `${lastPosition} ${nth}`

/** The first and the last of the portions that are wanted of each segment, by `portionId`. */
export async function findPortions(
  { kysely }: Reader,
  accountId: string,
  wanted: readonly { segment: RequestSegment; portions: WantedPortions }[],
): Promise<ReadonlyMap<string, StoredPortion>> {
  const asked = wanted.flatMap(({ segment: { lastPosition }, portions: { first, last, isBetween } }) =>
    [...new Set([first, last])].map((nth) => ({ position: String(lastPosition), nth, isBetween })),
  )
  const { rows } = await sql<StoredPortion & { last_position: bigint; nth: number }>`
    select c.last_position, c.nth, c.entries, case when w.is_between then c.before end as before
    from unnest(${asked.map(({ position }) => position)}::bigint[], ${asked.map(({ nth }) => nth)}::smallint[],
      ${asked.map(({ isBetween }) => isBetween)}::boolean[]) w (last_position, nth, is_between)
    join requests.charges c on c.account_id = ${accountId} and c.last_position = w.last_position and c.nth = w.nth`.execute(
    kysely,
  )
  return new Map(rows.map((row) => [portionId(row.last_position, row.nth), row]))
}

/** The requests in these slots that match and stand after the place, with their segment and slot. */
export async function readSlots(
  db: Reader,
  filter: Filter,
  place: Place | undefined,
  slots: readonly { segment: RequestSegment; slot: number }[],
): Promise<(FoundRequest & { segment: bigint })[]> {
  const { rows } = await sql<FoundRequest & { segment: bigint }>`
    with wanted as materialized (
      select w.last_position, encode(substring(g.receipts from 16 * w.slot + 1 for 16), 'hex')::uuid as receipt_id
      from unnest(${slots.map(({ segment }) => String(segment.lastPosition))}::bigint[], ${slots.map(({ slot }) => slot)}::int[])
        w (last_position, slot)
      join requests.segments g on g.account_id = ${filter.accountId} and g.last_position = w.last_position)
    select ${ofSettlement}, w.last_position as segment from wanted w
    cross join lateral (select * from ledger.settlements s
      where s.account_id = ${filter.accountId} and s.receipt_id = w.receipt_id offset 0) r
    where ${matching(filter, 'settlements')} ${after(place)}`.execute(db.kysely)
  return rows
}

/** Counts the settlements of all accounts that were written since the last time, and returns the accounts that have enough for a segment. */
export async function countWaiting(db: Db): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>(
    {
      text: `with counted as (
          insert into requests.progress as p (account_id, counted_to, waiting)
          select m.account_id, l.position, n.count
          from ledger.meters m left join requests.progress w using (account_id)
          cross join lateral (select max(s.position) as position from ledger.settlements s where s.account_id = m.account_id and s.position > 0) l
          cross join lateral (select count(*) from ledger.settlements s where s.account_id = m.account_id
            and s.position > 0 and s.position > coalesce(w.counted_to, 0) and s.position <= l.position) n
          where m.scope = 'account' and l.position > coalesce(w.counted_to, 0)
          on conflict (account_id) do update set counted_to = excluded.counted_to, waiting = p.waiting + excluded.waiting
          returning account_id, waiting)
        select account_id from counted where waiting >= $1
        union select account_id from requests.progress where waiting >= $1`,
    },
    [segmentSize],
  )
  return rows.map((row) => row.account_id)
}

export interface Settlement extends TermValues {
  position: bigint
  receipt_id: string
  charged: bigint
  /** Microseconds since 1970. */
  began_at: bigint
}

/** The settlements after a position, in the order of positions, as many as a segment has or fewer. */
export const settlementsAfter = (db: Db, accountId: string, position: bigint): Promise<Settlement[]> =>
  db.tx(async (tx) => {
    // They are read in the order of their index up to the last that is wanted. In a bitmap, which PostgreSQL prefers before it knows how many there are,
    // it would collect all that wait, again for each segment.
    await sql`select set_config('enable_bitmapscan', 'off', true)`.execute(tx)
    const { rows } = await sql<Settlement>`
      select position, receipt_id, project_id, key_id, endpoint, model, customer_id, reference_id, state, status_code, charged,
        (extract(epoch from created_at) * 1000000)::bigint as began_at
      from ledger.settlements where account_id = ${accountId} and position > 0 and position > ${position} order by position limit ${segmentSize}`.execute(
      tx,
    )
    return rows
  })

export interface NewSegment {
  accountId: string
  lastPosition: bigint
  /** The settlements in the order of their beginning. */
  settlements: readonly Settlement[]
  /** The bytes of each bucket. */
  postings: ReadonlyMap<number, Buffer>
  portions: readonly ChargePortion[]
  /** The charges at which portions begin, and the highest. */
  charges: readonly bigint[]
}

/** Writes a segment; returns false if it is there already. */
export async function insertSegment(
  tx: Tx,
  { accountId, lastPosition, settlements, postings, portions, charges }: NewSegment,
): Promise<boolean> {
  const receipts = Buffer.from(settlements.map((one) => one.receipt_id.replaceAll('-', '')).join(''), 'hex')
  const began = settlements.filter((_, slot) => slot % slotsPerTime === 0).map((one) => String(one.began_at))
  const last = String(settlements.at(-1)!.began_at)
  const { rows } = await sql`
    insert into requests.segments (account_id, last_position, began_first, began_last, began_at, receipts, charges)
    select ${accountId}, ${lastPosition}, b.at[1], to_timestamp(0) + ${last}::bigint * interval '1 microsecond', b.at, ${receipts},
      ${Buffer.from(BigInt64Array.from(charges).buffer)}
    from (select array(select to_timestamp(0) + n * interval '1 microsecond'
      from unnest(${began}::bigint[]) with ordinality t (n, nth) order by nth) as at) b
    on conflict do nothing returning 1`.execute(tx)
  if (rows.length === 0) return false
  await sql`insert into requests.postings (account_id, bucket, last_position, terms)
    select ${accountId}, bucket, ${lastPosition}, terms
    from unnest(${[...postings.keys()]}::smallint[], ${[...postings.values()]}::bytea[]) p (bucket, terms)`.execute(
    tx,
  )
  await sql`insert into requests.charges (account_id, last_position, nth, before, entries)
    select ${accountId}, ${lastPosition}, nth, before, entries
    from unnest(${portions.map(({ nth }) => nth)}::smallint[], ${portions.map(({ before }) => before)}::bytea[],
      ${portions.map(({ entries }) => entries)}::bytea[]) c (nth, before, entries)`.execute(tx)
  return true
}

/** Writes how many settlements still wait after the last segment. */
export async function setWaiting(
  tx: Tx,
  accountId: string,
  waiting: 'one segment less' | number,
): Promise<void> {
  await sql`update requests.progress set waiting = ${
    waiting === 'one segment less' ? sql`greatest(0, waiting - ${segmentSize})` : waiting
  } where account_id = ${accountId}`.execute(tx)
}
