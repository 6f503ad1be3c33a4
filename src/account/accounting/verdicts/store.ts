/** SQL of the results of the reconciliation: a verdict on every row and call, their sums, and the differences one by one. */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { type DateRange, scroll } from '../store.ts'

export const verdicts = [
  'matched',
  'different',
  'invoice_only',
  'receipt_only',
  'failed_invoiced',
  'duplicate',
] as const
export type RowVerdict = (typeof verdicts)[number]

/**
 * Gives every row and every call its verdict. What is outside the dates counts only where the matching row or call is inside, and an attempt that
 * cost nothing on either side is no difference and no match.
 */
export async function assignVerdicts(tx: Tx, microcreditsPerUsd: number): Promise<void> {
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
export interface SideTotals {
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
  verdict: RowVerdict
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
  verdict: RowVerdict
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
  /** The state of the receipt, or lost step of a run, that the row's own attempt id names, where no attempt was recorded. */
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

export interface UnattributedTotals {
  running: bigint
  ambiguous: bigint
  ambiguous_charged: bigint
  lost: bigint
  lost_charged: bigint
}

/** Receipts of the dates, and steps of durable runs, whose provider is not known yet or never will be. */
export async function unattributed(tx: Tx, { from, to }: DateRange): Promise<UnattributedTotals> {
  const { rows } = await sql<UnattributedTotals>`
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

/** Broken invariants of the ledger, at most a thousand. The query has no time limit of the pool. */
export async function contradictions(tx: Tx): Promise<{ invariant: string; account_id: string }[]> {
  const { rows } = await sql<{
    invariant: string
    account_id: string
  }>`select invariant, account_id from ledger.violations limit 1000`.execute(tx)
  return rows
}
