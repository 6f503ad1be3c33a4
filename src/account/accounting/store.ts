/** SQL of the reconciliation. Both sides stand in temporary tables of one transaction, so that files may have any size. */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import type { InvoiceRow } from './invoice.ts'

/** How far times of one call may differ between the two sides, in seconds. */
export const windowSeconds = 120

export interface DateRange {
  provider: string
  from: Date
  /** The end of the dates, exclusive. */
  to: Date
}

export async function createTemporaryTables(tx: Tx): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
  await sql`create temporary table reconcile_rows (
    line bigint primary key, upstream_id text, attempt_id text, at timestamptz, model text,
    input bigint, output bigint, usd numeric,
    inside boolean not null, nth int, call bigint, duplicate boolean not null default false) on commit drop`.execute(
    tx,
  )
  await sql`create temporary table reconcile_calls (
    call bigint generated always as identity primary key, receipt_id uuid not null, attempt int not null,
    attempt_id text not null, upstream_id text, at timestamptz not null, model text not null, outcome text not null,
    -- An attempt that the receipt is charged for; the others cost nothing.
    paid boolean not null, estimated boolean not null,
    input bigint not null, output bigint not null, charged bigint not null,
    inside boolean not null, line bigint) on commit drop`.execute(tx)
  // Calls of durable runs that a crash hid: they were paid at their worst case, and their upstream was not recorded.
  await sql`create temporary table reconcile_lost (
    call_id text primary key, receipt_id uuid not null, charged bigint not null, inside boolean not null) on commit drop`.execute(
    tx,
  )
}

export async function addRows(tx: Tx, rows: readonly InvoiceRow[], { from, to }: DateRange): Promise<void> {
  const list = <Value>(pick: (row: InvoiceRow) => Value | undefined) => rows.map((row) => pick(row) ?? null)
  await sql`insert into reconcile_rows (line, upstream_id, attempt_id, at, model, input, output, usd, inside)
    select line, upstream_id, attempt_id, at, model, input, output, usd, coalesce(at >= ${from} and at < ${to}, true)
    from unnest(${list((row) => row.line)}::bigint[], ${list((row) => row.upstreamId)}::text[],
      ${list((row) => row.attemptId)}::text[], ${list((row) => row.at?.toISOString())}::timestamptz[],
      ${list((row) => row.model)}::text[], ${list((row) => row.inputTokens)}::bigint[],
      ${list((row) => row.outputTokens)}::bigint[], ${list((row) => row.usd)}::numeric[])
      as given (line, upstream_id, attempt_id, at, model, input, output, usd)`.execute(tx)
}

/**
 * Adds every attempt at this provider that receipts name, from a day before to a day after, since the two clocks and the two midnights differ. A
 * receipt that pays several calls says what each of them cost. On other receipts the charge belongs to the attempt that answered; where none did, to
 * the last one of which anything came.
 */
export async function addCalls(tx: Tx, { provider, from, to }: DateRange): Promise<void> {
  await sql`insert into reconcile_calls
      (receipt_id, attempt, attempt_id, upstream_id, at, model, outcome, paid, estimated, input, output, charged, inside)
    select r.receipt_id, a.n, coalesce(a.it ->> 'attempt_id', r.receipt_id || '-' || a.n), a.it ->> 'upstream_id', its.at,
      substr(a.it ->> 'deployment', length(a.it ->> 'provider') + 2), a.it ->> 'outcome',
      mine.paid, mine.paid and coalesce(a.it ->> 'usage_source', r.detail ->> 'usage_source') = 'estimated',
      case when mine.paid then coalesce((mine.tokens ->> 'input')::numeric::bigint, 0) else 0 end,
      case when mine.paid then coalesce((mine.tokens ->> 'output')::numeric::bigint, 0) else 0 end,
      case when mine.paid then coalesce((a.it ->> 'microcredits')::numeric::bigint, r.charged) else 0 end,
      its.at >= ${from} and its.at < ${to}
    from ledger.receipts r
    cross join lateral json_array_elements(r.detail -> 'attempts') with ordinality a (it, n)
    cross join lateral (
      select b.n from json_array_elements(r.detail -> 'attempts') with ordinality b (it, n)
      order by b.it ->> 'outcome' = 'answered' desc, b.it ->> 'first_part_ms' is not null desc, b.n desc limit 1) payer
    cross join lateral (
      select case when a.it ->> 'microcredits' is not null then json_typeof(a.it -> 'tokens') = 'object'
          else a.n = payer.n and (r.charged > 0 or json_typeof(r.detail -> 'tokens') = 'object') end is true as paid,
        case when a.it ->> 'microcredits' is not null then a.it else r.detail end -> 'tokens' as tokens) mine
    cross join lateral (
      select r.created_at + coalesce((a.it ->> 'started_ms')::float8, 0) * interval '1 millisecond' as at) its
    -- What began long before may have called in these dates: durable work goes on for days.
    where coalesce(r.finished_at, r.created_at) >= ${from}::timestamptz - interval '1 day' and r.created_at < ${to}::timestamptz + interval '1 day'
      and json_typeof(r.detail -> 'attempts') = 'array' and a.it ->> 'provider' = ${provider}`.execute(tx)
  await sql`create index on reconcile_calls (attempt_id)`.execute(tx)
  await sql`create index on reconcile_calls (upstream_id)`.execute(tx)
  await sql`insert into reconcile_lost
    select s.it ->> 'call_id', r.receipt_id, (s.it ->> 'microcredits')::numeric::bigint,
      r.created_at >= ${from} and r.created_at < ${to}
    from ledger.receipts r cross join lateral json_array_elements(r.detail -> 'steps') s (it)
    where coalesce(r.finished_at, r.created_at) >= ${from}::timestamptz - interval '1 day' and r.created_at < ${to}::timestamptz + interval '1 day'
      and json_typeof(r.detail -> 'steps') = 'array' and s.it ->> 'ambiguous' = 'true'`.execute(tx)
  await sql`analyze reconcile_rows`.execute(tx)
  await sql`analyze reconcile_calls`.execute(tx)
}

/** Matches rows by our own ids first, then by the upstream's; a second row of one call is a duplicate. */
export async function matchByIds(tx: Tx): Promise<void> {
  await sql`update reconcile_rows i set call = found.call, duplicate = found.nth > 1
    from (select r.line, c.call, row_number() over (partition by c.call order by r.line) as nth
      from reconcile_rows r join reconcile_calls c on r.attempt_id = c.attempt_id) found
    where i.line = found.line`.execute(tx)
  await linkCalls(tx)
  // Where a vendor's ids are not unique, rows and calls of one id are paired in order of time.
  await sql`update reconcile_rows i set nth = ranked.nth
    from (select line, row_number() over (partition by upstream_id order by at, line) as nth
      from reconcile_rows where call is null and upstream_id is not null) ranked
    where i.line = ranked.line`.execute(tx)
  await sql`update reconcile_rows i set call = c.call
    from (select call, upstream_id, row_number() over (partition by upstream_id order by at, call) as nth
      from reconcile_calls where line is null and upstream_id is not null) c
    where i.call is null and i.upstream_id = c.upstream_id and i.nth = c.nth`.execute(tx)
  await linkCalls(tx)
  await sql`update reconcile_rows i set duplicate = true
    where call is null and upstream_id is not null and (nth > 1
      or exists (select from reconcile_calls c where c.upstream_id = i.upstream_id and c.line is not null))`.execute(
    tx,
  )
}

/** Writes the matched row to each call. */
const linkCalls = (tx: Tx) =>
  sql`update reconcile_calls c set line = i.line from reconcile_rows i
    where i.call = c.call and not i.duplicate and c.line is null`.execute(tx)

export interface TimedEntry {
  id: bigint
  at: Date
  /** Model and tokens, in one text. */
  kind: string
}

/** Rows that no id has matched, by kind and time: with `withoutIds` those without any id, otherwise those with one. */
export const unmatchedRows = (tx: Tx, withoutIds: boolean): AsyncGenerator<TimedEntry> =>
  scroll<TimedEntry>(
    tx,
    'reconcile_open_rows',
    `select line as id, at, concat_ws(' ', lower(model), input, output) collate "C" as kind from reconcile_rows
      where call is null and not duplicate and at is not null and model is not null and input is not null and output is not null
        and (upstream_id is null and attempt_id is null) = ${withoutIds}
      order by kind, at, id`,
  )

/** Charged calls that no row has matched: with `withoutIds` only those for which the upstream never reported an id. */
export const unmatchedCalls = (tx: Tx, withoutIds: boolean): AsyncGenerator<TimedEntry> =>
  scroll<TimedEntry>(
    tx,
    'reconcile_open_calls',
    `select call as id, at, concat_ws(' ', lower(model), input, output) collate "C" as kind from reconcile_calls
      where line is null and paid ${withoutIds ? 'and upstream_id is null' : ''}
      order by kind, at, id`,
  )

export async function writePairs(tx: Tx, pairs: readonly { line: bigint; call: bigint }[]): Promise<void> {
  await sql`update reconcile_rows i set call = given.call
    from unnest(${pairs.map(({ line }) => line)}::bigint[], ${pairs.map(({ call }) => call)}::bigint[]) as given (line, call)
    where i.line = given.line`.execute(tx)
  await sql`update reconcile_calls c set line = given.line
    from unnest(${pairs.map(({ line }) => line)}::bigint[], ${pairs.map(({ call }) => call)}::bigint[]) as given (line, call)
    where c.call = given.call`.execute(tx)
}

/** Rows of a query, a thousand in memory at a time. */
export async function* scroll<Row>(tx: Tx, name: string, query: string): AsyncGenerator<Row> {
  await sql.raw(`declare ${name} no scroll cursor for ${query}`).execute(tx)
  try {
    for (;;) {
      const { rows } = await sql.raw<Row>(`fetch 1000 from ${name}`).execute(tx)
      yield* rows
      if (rows.length < 1000) return
    }
  } finally {
    await sql.raw(`close ${name}`).execute(tx)
  }
}
