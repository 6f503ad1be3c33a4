/** SQL of the list: the columns of its rows, the conditions of a filter, and the reads that need no segments. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db'
import type { Receipt } from '#platform/ledger'
import type { Filter } from './filter.ts'
import type { SegmentCache } from './search/cache.ts'

/** The database, or a transaction as `{ kysely: tx }`. */
export type Reader = Pick<Db, 'kysely'>

/** A reader that searches segments, with what the process knows of them. */
export interface SearchReader extends Reader {
  cache: SegmentCache
}

/** A call under way or ended, as the list shows it. */
export interface FoundRequest extends Omit<Receipt, 'detail'> {
  tokens: { input?: number; cachedInput?: number; output?: number; reasoning?: number } | null
  attempts: number | null
  /** Those of the attempts that a fault ended. */
  failed_attempts: number | null
  /** The steps of work or of a voice call, or how often hosted tools let a model be asked; null for other calls. */
  steps: number | null
  /** `created_at` to the microsecond, as RFC 3339 in UTC. */
  began: string
  /** The place of its end in the order of writing; null while it runs. */
  position: bigint | null
}

/** The place of a call in the list. */
export interface Place {
  began: string
  id: string
}

const shared = sql`r.receipt_id, r.project_id, r.key_id, r.endpoint, r.idempotency_key, r.status_code, r.model, r.customer_id, r.reference_id,
  r.created_at, to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as began`

/** A hold is a call under way, and has every column of its settlement. */
const ofHold = sql`${shared}, 'running' as state, false as ambiguous, r.amount as held, 0::bigint as charged, null::jsonb as quantities,
  null::timestamptz as finished_at, null::json as tokens, null::int as attempts, null::int as failed_attempts, null::int as steps, null::bigint as position`

/** An array of the detail, empty where it has none. */
const listOf = (name: 'attempts' | 'more') =>
  sql`case json_typeof(r.detail -> ${sql.lit(name)}) when 'array' then r.detail -> ${sql.lit(name)} else '[]' end`

const failedAttempts = sql`(select count(*)::int from json_array_elements(${listOf('attempts')}) one
  where one ->> 'outcome' not in ('answered', 'running', 'aborted'))`

const steps = sql`case json_typeof(r.detail -> 'steps') when 'number' then (r.detail ->> 'steps')::int
  when 'array' then json_array_length(r.detail -> 'steps')
    + (select coalesce(sum((one ->> 'steps')::int), 0)::int from json_array_elements(${listOf('more')}) one) end`

export const ofSettlement = sql`${shared}, r.state, r.ambiguous, r.held, r.charged, r.quantities, r.finished_at,
  case json_typeof(r.detail -> 'tokens') when 'object' then r.detail -> 'tokens' end as tokens,
  case json_typeof(r.detail -> 'attempts') when 'array' then json_array_length(r.detail -> 'attempts') end as attempts,
  case json_typeof(r.detail -> 'attempts') when 'array' then ${failedAttempts} end as failed_attempts, ${steps} as steps, r.position`

/** Always true. The indexes by position and by beginning have it as their condition, and are used only by statements that name it (0042-requests.sql). */
export const isPlaced = sql`r.position > 0`

const newestFirst = sql`order by r.created_at desc, r.receipt_id desc`

/** The condition that rows `r` stand after the place. */
export const after = (place: Place | undefined): RawBuilder<unknown> =>
  place ? sql`and (r.created_at, r.receipt_id) < (${place.began}::timestamptz, ${place.id}::uuid)` : sql``

/** The calls under way that match and stand after the place. */
export async function findRunning(
  db: Reader,
  filter: Filter,
  place: Place | undefined,
  limit: number,
): Promise<FoundRequest[]> {
  const { rows } = await sql<FoundRequest>`
    select ${ofHold} from ledger.holds r where ${matching(filter, 'holds')} ${after(place)} ${newestFirst} limit ${limit}`.execute(
    db.kysely,
  )
  return rows
}

/** So many of the newest requests are compared with a filter before segments are searched. */
const newestRows = 1_000

/** Those of the newest requests that match, at most `limit`; fewer do not mean that there are no more. */
export async function findNewest(
  db: Reader,
  filter: Filter,
  place: Place | undefined,
  limit: number,
): Promise<FoundRequest[]> {
  const { from, to } = filter
  const { rows } = await sql<FoundRequest>`
    select ${ofSettlement} from (
      select * from ledger.settlements r where r.account_id = ${filter.accountId} and ${isPlaced}
        ${from ? sql`and r.created_at >= ${from}` : sql``} ${to ? sql`and r.created_at < ${to}` : sql``} ${after(place)}
      ${newestFirst} limit ${newestRows}) r
    where ${matching(filter, 'settlements')} ${newestFirst} limit ${limit}`.execute(db.kysely)
  return rows
}

/** The requests that match and whose position is after the last segment. */
export async function findUnsealed(
  db: Reader,
  filter: Filter,
  { place, limit, sealed }: { place: Place | undefined; limit: number; sealed: bigint },
): Promise<FoundRequest[]> {
  // Materialized, so that they are read by position and not in the order of the list, where they may lie anywhere.
  const { rows } = await sql<FoundRequest>`
    with matching as materialized (
      select r.receipt_id, r.created_at from ledger.settlements r
      where r.position > ${sealed} and ${isPlaced} and ${matching(filter, 'settlements')} ${after(place)})
    select ${ofSettlement} from (select * from matching r ${newestFirst} limit ${limit}) u join ledger.settlements r
      on r.account_id = ${filter.accountId} and r.receipt_id = u.receipt_id ${newestFirst}`.execute(db.kysely)
  return rows
}

/** So many ends are compared with a filter at once. */
const endedRows = 5_000

/**
 * The requests that match and whose end stands after `from` in the order of writing, up to `to`, the first of them first; `readTo` is the position up to
 * which all were compared.
 */
export async function findEnded(
  db: Reader,
  filter: Filter,
  { from, to, limit }: { from: bigint; to: bigint; limit: number },
): Promise<{ rows: FoundRequest[]; readTo: bigint }> {
  const some = sql`ledger.settlements r where r.account_id = ${filter.accountId} and ${isPlaced} and r.position > ${from} and r.position <= ${to}
    order by r.position`
  const { rows: last } = await sql<{ position: bigint }>`
    select r.position from ${some} limit 1 offset ${endedRows - 1}`.execute(db.kysely)
  const { rows } = await sql<FoundRequest>`
    select ${ofSettlement} from (select * from ${some} limit ${endedRows}) r
    where ${matching(filter, 'settlements')} order by r.position limit ${limit}`.execute(db.kysely)
  return { rows, readTo: last[0]?.position ?? to }
}

/** The requests that match and have the filter's idempotency key. */
export async function findByIdempotencyKey(
  db: Reader,
  filter: Filter,
  place: Place | undefined,
  limit: number,
): Promise<FoundRequest[]> {
  const { rows } = await sql<FoundRequest>`
    with matching as materialized (
      select r.receipt_id from (
          select key_id from auth.keys where account_id = ${filter.accountId}
          union all select key_id from auth.management_keys where account_id = ${filter.accountId}
        ) k join ledger.settlements r
        on r.account_id = ${filter.accountId} and r.key_id = k.key_id and r.idempotency_key = ${filter.idempotencyKey}
      where ${matching(filter, 'settlements')} ${after(place)})
    select ${ofSettlement} from matching u join ledger.settlements r
      on r.account_id = ${filter.accountId} and r.receipt_id = u.receipt_id ${newestFirst} limit ${limit}`.execute(
    db.kysely,
  )
  return rows
}

/** The condition of a filter on rows `r` of a table of the ledger. */
export function matching(filter: Filter, table: 'holds' | 'settlements'): RawBuilder<unknown> {
  const { projects, minMicrocredits: min, maxMicrocredits: max, state } = filter
  const isHold = table === 'holds'
  const charged = isHold ? sql`0::bigint` : sql`r.charged`
  const conditions = [
    sql`r.account_id = ${filter.accountId}`,
    projects !== 'all' && sql`r.project_id = any(${[...projects]}::uuid[])`,
    filter.from && sql`r.created_at >= ${filter.from}`,
    filter.to && sql`r.created_at < ${filter.to}`,
    filter.model !== undefined && sql`r.model = ${filter.model}`,
    filter.keyId !== undefined && sql`r.key_id = ${filter.keyId}::uuid`,
    filter.personKeyIds && sql`r.key_id = any(${[...filter.personKeyIds]}::uuid[])`,
    filter.customerId !== undefined && sql`r.customer_id = ${filter.customerId}`,
    filter.referenceId !== undefined && sql`r.reference_id = ${filter.referenceId}`,
    filter.endpoint !== undefined && sql`r.endpoint = ${filter.endpoint}`,
    filter.statusCode !== undefined && sql`r.status_code = ${filter.statusCode}`,
    min !== undefined && sql`${charged} >= ${min}`,
    max !== undefined && sql`${charged} <= ${max}`,
    filter.idempotencyKey !== undefined && sql`r.idempotency_key = ${filter.idempotencyKey}`,
    state !== undefined && (isHold ? sql`${state === 'running'}` : sql`r.state = ${state}`),
  ]
  return sql.join(
    conditions.filter((one) => one !== undefined && one !== false),
    sql` and `,
  )
}
