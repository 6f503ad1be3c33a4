/** SQL of the reconciliation: both sides stand in temporary tables of one transaction, so that files of any size do. */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import type { InvoiceRow } from './invoice.ts'

/** How far times of one call may differ between the two sides, in seconds. */
export const windowSeconds = 120

export interface Bounds {
  provider: string
  from: Date
  /** Exclusive. */
  to: Date
}

export async function prepare(tx: Tx): Promise<void> {
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
  // Calls of durable runs that a crash hid: paid at their worst case, of an upstream that nobody wrote down.
  await sql`create temporary table reconcile_lost (
    call_id text primary key, receipt_id uuid not null, charged bigint not null, inside boolean not null) on commit drop`.execute(
    tx,
  )
}

export async function addRows(tx: Tx, rows: readonly InvoiceRow[], { from, to }: Bounds): Promise<void> {
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
 * Every attempt that receipts tell of at this provider, from a day before to a day after, since the two clocks and the
 * two midnights differ. A receipt that pays several calls says what each did cost. On the others, charged is the one that
 * answered; where none did, the last of which anything came.
 */
export async function addCalls(tx: Tx, { provider, from, to }: Bounds): Promise<void> {
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

/** Our own ids first, then the upstream's; a second row of one call is a duplicate. */
export async function matchByIds(tx: Tx): Promise<void> {
  await sql`update reconcile_rows i set call = found.call, duplicate = found.nth > 1
    from (select r.line, c.call, row_number() over (partition by c.call order by r.line) as nth
      from reconcile_rows r join reconcile_calls c on r.attempt_id = c.attempt_id) found
    where i.line = found.line`.execute(tx)
  await claim(tx)
  // Vendors whose ids are not unique have them paired in order of time.
  await sql`update reconcile_rows i set nth = ranked.nth
    from (select line, row_number() over (partition by upstream_id order by at, line) as nth
      from reconcile_rows where call is null and upstream_id is not null) ranked
    where i.line = ranked.line`.execute(tx)
  await sql`update reconcile_rows i set call = c.call
    from (select call, upstream_id, row_number() over (partition by upstream_id order by at, call) as nth
      from reconcile_calls where line is null and upstream_id is not null) c
    where i.call is null and i.upstream_id = c.upstream_id and i.nth = c.nth`.execute(tx)
  await claim(tx)
  await sql`update reconcile_rows i set duplicate = true
    where call is null and upstream_id is not null and (nth > 1
      or exists (select from reconcile_calls c where c.upstream_id = i.upstream_id and c.line is not null))`.execute(
    tx,
  )
}

/** Tells the calls of the rows that were matched with them. */
const claim = (tx: Tx) =>
  sql`update reconcile_calls c set line = i.line from reconcile_rows i
    where i.call = c.call and not i.duplicate and c.line is null`.execute(tx)

export interface Timed {
  id: bigint
  at: Date
  /** Model and tokens, in one text. */
  kind: string
}

/** Rows that no id has matched, by kind and time; where only rows without any id are asked for, `nameless` is true. */
export const openRows = (tx: Tx, nameless: boolean): AsyncGenerator<Timed> =>
  scroll<Timed>(
    tx,
    'reconcile_open_rows',
    `select line as id, at, concat_ws(' ', lower(model), input, output) collate "C" as kind from reconcile_rows
      where call is null and not duplicate and at is not null and model is not null and input is not null and output is not null
        and (upstream_id is null and attempt_id is null) = ${nameless}
      order by kind, at, id`,
  )

/** Charged calls that no row has matched; `nameless` is true for those of which the upstream never told an id. */
export const openCalls = (tx: Tx, nameless: boolean): AsyncGenerator<Timed> =>
  scroll<Timed>(
    tx,
    'reconcile_open_calls',
    `select call as id, at, concat_ws(' ', lower(model), input, output) collate "C" as kind from reconcile_calls
      where line is null and paid ${nameless ? 'and upstream_id is null' : ''}
      order by kind, at, id`,
  )

export async function pair(tx: Tx, pairs: readonly { line: bigint; call: bigint }[]): Promise<void> {
  await sql`update reconcile_rows i set call = given.call
    from unnest(${pairs.map(({ line }) => line)}::bigint[], ${pairs.map(({ call }) => call)}::bigint[]) as given (line, call)
    where i.line = given.line`.execute(tx)
  await sql`update reconcile_calls c set line = given.line
    from unnest(${pairs.map(({ line }) => line)}::bigint[], ${pairs.map(({ call }) => call)}::bigint[]) as given (line, call)
    where c.call = given.call`.execute(tx)
}

export const verdicts = [
  'matched',
  'different',
  'invoice_only',
  'receipt_only',
  'failed_invoiced',
  'duplicate',
] as const
export type Verdict = (typeof verdicts)[number]

/**
 * Gives every row and every call its verdict. What is outside the dates counts only where its other side is inside, and
 * an attempt that cost nothing on either side is no difference and no match.
 */
export async function judge(tx: Tx, microcreditsPerUsd: number): Promise<void> {
  const known = microcreditsPerUsd > 0
  await sql`create temporary table reconcile_pairs on commit drop as
    with both_sides as (
      select i.line, c.call, i.duplicate, coalesce(i.upstream_id, c.upstream_id) as upstream_id, i.attempt_id, c.receipt_id, c.attempt, c.outcome,
        coalesce(i.model, c.model) as model, coalesce(i.at, c.at) as at, coalesce(c.paid, false) as paid, coalesce(c.estimated, false) as estimated,
        i.input as their_input, i.output as their_output, i.usd as their_usd,
        c.input as our_input, c.output as our_output,
        case when ${known}::boolean then c.charged / ${known ? String(microcreditsPerUsd) : '1'}::numeric end as our_usd
      from (select * from reconcile_rows where not duplicate) i
      full join (select * from reconcile_calls where paid or line is not null) c on c.line = i.line
      where coalesce(i.inside, false) or coalesce(c.inside, false)
      union all
      select line, null, true, upstream_id, attempt_id, null, null, null, model, at, false, false, input, output, usd, null, null, null
      from reconcile_rows where duplicate and inside
    )
    select *, case
      when duplicate then 'duplicate'
      when call is null then 'invoice_only'
      when line is null then 'receipt_only'
      when not paid then case when coalesce(their_input, 0) + coalesce(their_output, 0) > 0 or coalesce(their_usd, 0) <> 0
        then 'failed_invoiced' else 'nothing' end
      when coalesce(their_input <> our_input, false) or coalesce(their_output <> our_output, false)
        -- Charges are rounded up to a micro-credit, and an invoice to its last decimal.
        or coalesce(abs(their_usd - our_usd) > greatest(1 / ${known ? String(microcreditsPerUsd) : '1'}::numeric,
          case when scale(trim_scale(their_usd)) >= 4 then 0.5 * power(10::numeric, -scale(their_usd)) else 0 end), false)
        then 'different'
      else 'matched' end as verdict
    from both_sides`.execute(tx)
  await sql`delete from reconcile_pairs where verdict = 'nothing'
    or (verdict = 'receipt_only' and our_input = 0 and our_output = 0 and coalesce(our_usd, 0) = 0)
    or (verdict = 'invoice_only' and coalesce(their_input, 0) = 0 and coalesce(their_output, 0) = 0 and coalesce(their_usd, 0) = 0)`.execute(
    tx,
  )
}

/** One side of the books; `usd` is a plain decimal. */
export interface Side {
  calls: bigint
  input: bigint
  output: bigint
  usd: string
}

const sumsOf = (side: 'their' | 'our', what: 'line' | 'call') =>
  sql.raw(`count(${what}) as ${side}_calls,
    coalesce(sum(${side}_input), 0)::bigint as ${side}_input, coalesce(sum(${side}_output), 0)::bigint as ${side}_output,
    trim_scale(coalesce(sum(${side}_usd), 0))::text as ${side}_usd`)

interface SumRow {
  verdict: Verdict
  their_calls: bigint
  their_input: bigint
  their_output: bigint
  their_usd: string
  our_calls: bigint
  our_input: bigint
  our_output: bigint
  our_usd: string
}

export async function sums(tx: Tx): Promise<SumRow[]> {
  const { rows } =
    await sql<SumRow>`select verdict, ${sumsOf('their', 'line')}, ${sumsOf('our', 'call')} from reconcile_pairs group by verdict`.execute(
      tx,
    )
  return rows
}

export interface Difference {
  verdict: Verdict
  line: bigint | null
  upstream_id: string | null
  receipt_id: string | null
  attempt: number | null
  model: string | null
  at: Date | null
  outcome: string | null
  estimated: boolean
  their_input: bigint | null
  their_output: bigint | null
  their_usd: string | null
  our_input: bigint | null
  our_output: bigint | null
  our_usd: string | null
  /** Of the receipt, or the lost step of a run, that the row's own attempt id names, where no attempt was written down. */
  receipt_state: 'running' | 'ambiguous' | 'lost_step' | 'other' | null
}

/** Every difference, kind by kind and by time. */
export const differences = (tx: Tx): AsyncGenerator<Difference> =>
  scroll<Difference>(
    tx,
    'reconcile_differences',
    `select p.verdict, p.line, p.upstream_id, coalesce(p.receipt_id, r.receipt_id, l.receipt_id) as receipt_id, p.attempt::int as attempt, p.model, p.at, p.outcome, p.estimated,
        p.their_input, p.their_output, trim_scale(p.their_usd)::text as their_usd,
        p.our_input, p.our_output, trim_scale(p.our_usd)::text as our_usd,
        case when l.receipt_id is not null then 'lost_step' when r.receipt_id is null then null when r.state = 'running' then 'running' when r.ambiguous then 'ambiguous' else 'other' end as receipt_state
      from reconcile_pairs p
      left join ledger.receipts r on p.verdict = 'invoice_only' and p.attempt_id like r.receipt_id::text || '-%'
        and r.receipt_id = case when p.attempt_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-' then left(p.attempt_id, 36)::uuid end
      left join reconcile_lost l on p.verdict = 'invoice_only' and l.call_id = left(p.attempt_id, 36) and p.attempt_id like l.call_id || '-%'
      where p.verdict <> 'matched'
      order by array_position(array[${verdicts.map((name) => `'${name}'`).join(',')}], p.verdict), p.at, p.line, p.call`,
  )

/** Rows of a query, a thousand in memory at a time. */
async function* scroll<Row>(tx: Tx, name: string, query: string): AsyncGenerator<Row> {
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

export interface Unattributed {
  running: bigint
  ambiguous: bigint
  ambiguous_charged: bigint
  lost: bigint
  lost_charged: bigint
}

/** Receipts of the dates, and steps of durable runs, that are of no provider yet, or never will be. */
export async function unattributed(tx: Tx, { from, to }: Bounds): Promise<Unattributed> {
  const { rows } = await sql<Unattributed>`
    select count(*) filter (where state = 'running') as running, count(*) filter (where ambiguous) as ambiguous,
      coalesce(sum(charged) filter (where ambiguous), 0)::bigint as ambiguous_charged,
      (select count(*) from reconcile_lost where inside) as lost,
      (select coalesce(sum(charged), 0)::bigint from reconcile_lost where inside) as lost_charged
    from ledger.receipts where created_at >= ${from} and created_at < ${to} and (state = 'running' or ambiguous)`.execute(
    tx,
  )
  return rows[0]!
}

/** Rows of the file in all, and those left out because their time is outside the dates. */
export async function countRows(tx: Tx): Promise<{ rows: bigint; outside: bigint }> {
  const { rows } = await sql<{ rows: bigint; outside: bigint }>`select count(*) as rows,
      count(*) filter (where not inside and not exists (select from reconcile_pairs p where p.line = i.line)) as outside
    from reconcile_rows i`.execute(tx)
  return rows[0]!
}

/** Broken invariants of the ledger, at most a thousand; without the time limit of the pool. */
export async function contradictions(tx: Tx): Promise<{ invariant: string; account_id: string }[]> {
  const { rows } = await sql<{
    invariant: string
    account_id: string
  }>`select invariant, account_id from ledger.broken limit 1000`.execute(tx)
  return rows
}
