/** SQL of the steps of a call. */
import { sql } from 'kysely'
import type { StoredPart } from '#core/models'
import type { Db, Tx } from '#platform/db'
import type { StepKind } from '../parts.ts'
import type { CallKey } from '../store.ts'

declare module '#platform/db' {
  interface Tables {
    'realtime.steps': StepRow
  }
}

/** The line of the receipt for a step, as it is stored. */
export interface StoredLine {
  /** Counts of units; tokens are `input_tokens`, `cached_input_tokens`, `output_tokens` and `reasoning_tokens`. */
  quantities: Record<string, number>
  ambiguous?: true
  usage_source?: 'estimated'
  /** Attempts as in `PricedAttempt`. */
  attempts?: readonly unknown[]
  /** The lines of the cost; absent on steps of an earlier release. */
  charge?: readonly StoredPart[]
}

export interface StepRow {
  account_id: string
  call_id: string
  step_id: string
  position: number
  kind: StepKind
  model: string
  worst: bigint
  cost: bigint | null
  lost: bigint
  discarded: boolean
  line: StoredLine | null
  ahead: boolean
}

export interface BegunStep {
  stepId: string
  position: number
  kind: StepKind
  model: string
  worst: bigint
  isAhead?: boolean | undefined
}

/**
 * Writes a step before its upstream is called, or before it may cost more than was written. No step of a call begins while the call ends. Returns
 * false where the call has ended, or belongs to another process.
 */
export async function writeStep(
  db: Db['kysely'] | Tx,
  { accountId, callId, processId }: CallKey & { processId: string },
  { stepId, position, kind, model, worst, isAhead = false }: BegunStep,
): Promise<boolean> {
  const { rows } = await sql`with call as (
      select account_id, call_id from realtime.calls
      where account_id = ${accountId} and call_id = ${callId} and process_id = ${processId} and ended_at is null for key share)
    insert into realtime.steps as s (account_id, call_id, step_id, position, kind, model, worst, ahead)
    select account_id, call_id, ${stepId}::uuid, ${position}::int, ${kind}, ${model}, ${worst}::bigint, ${isAhead}::boolean from call
    on conflict (account_id, call_id, step_id) do update set worst = greatest(s.worst, excluded.worst)
    returning 1`.execute(db)
  return rows.length > 0
}

/** Records that the upstream has begun with a step that was open ahead of it. */
export const writeTaken = (db: Db, { accountId, callId }: CallKey, stepId: string): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.step_taken',
      text: 'update realtime.steps set ahead = false where account_id = $1 and call_id = $2 and step_id = $3',
    },
    [accountId, callId, stepId],
  )

/** Deletes the steps with which no upstream has begun. */
export async function deleteUntaken(tx: Tx, { accountId, callId }: CallKey): Promise<void> {
  await sql`delete from realtime.steps
    where account_id = ${accountId} and call_id = ${callId} and ahead and cost is null`.execute(tx)
}

/** The end of a step. */
export interface StepEnd {
  stepId: string
  /** The model that answered. */
  model: string
  cost: bigint
  /** The amount that an upstream may bill beside the cost, and that nobody is charged. */
  lost: bigint
  discarded: boolean
  line: StoredLine
}

/** Writes the ends of steps; repeating it changes nothing. Returns how many of the steps exist: none of a call that has ended. */
export async function writeStepEnds(
  db: Db['kysely'] | Tx,
  { accountId, callId }: CallKey,
  ends: readonly StepEnd[],
): Promise<number> {
  if (ends.length === 0) return 0
  const rows = ends.map(({ stepId, model, cost, lost, discarded, line }) => ({
    ...{ step_id: stepId, model, discarded, line },
    ...{ cost: String(cost), lost: String(lost) },
  }))
  const { rows: written } = await sql`update realtime.steps s
    set model = e.model, cost = e.cost, worst = greatest(s.worst, e.cost), lost = e.lost, discarded = e.discarded, line = e.line
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as e(step_id uuid, model text, cost bigint, lost bigint, discarded boolean, line json)
    where s.account_id = ${accountId} and s.call_id = ${callId} and s.step_id = e.step_id
    returning 1`.execute(db)
  return written.length
}

/** Whether the step's cost is in the database. */
export async function hasEnded(db: Db, { accountId, callId }: CallKey, stepId: string): Promise<boolean> {
  const [row] = await db.query<{ cost: bigint | null }>(
    { text: 'select cost from realtime.steps where account_id = $1 and call_id = $2 and step_id = $3' },
    [accountId, callId, stepId],
  )
  return row?.cost != null
}

/** Deletes steps that were refused after all: their upstream was never called. */
export async function deleteSteps(
  tx: Tx,
  { accountId, callId }: CallKey,
  stepIds?: readonly string[],
): Promise<void> {
  if (stepIds?.length === 0) return
  await tx
    .deleteFrom('realtime.steps')
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .$if(stepIds !== undefined, (rows) => rows.where('step_id', 'in', stepIds!))
    .execute()
}

/** The cost of all steps of a call, those under way at their worst, in micro-credits. */
export interface StepTotals {
  steps: number
  cost: bigint
  lost: bigint
}

export async function totalsOf(db: Db['kysely'] | Tx, { accountId, callId }: CallKey): Promise<StepTotals> {
  const { rows } =
    await sql<StepTotals>`select count(*)::int as steps, coalesce(sum(coalesce(cost, worst)), 0)::bigint as cost,
      coalesce(sum(lost), 0)::bigint as lost
    from realtime.steps where account_id = ${accountId} and call_id = ${callId}`.execute(db)
  return rows[0]!
}

/** The cost of a running call so far, without steps under way; in micro-credits. */
export async function spentOf(db: Db, { accountId, callId }: CallKey): Promise<bigint> {
  const [row] = await db.query<{ spent: bigint }>(
    {
      name: 'realtime.spent',
      text: 'select coalesce(sum(cost), 0)::bigint as spent from realtime.steps where account_id = $1 and call_id = $2',
    },
    [accountId, callId],
  )
  return row!.spent
}

export const firstSteps = (tx: Tx, { accountId, callId }: CallKey, limit: number): Promise<StepRow[]> =>
  tx
    .selectFrom('realtime.steps')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .orderBy('position')
    .limit(limit)
    .execute()

/** What is known of the cost of a step. */
export type StepCost = Pick<StepRow, 'kind' | 'model' | 'worst' | 'cost'> & {
  charge: readonly StoredPart[] | null
}

export async function costsOf(tx: Tx, { accountId, callId }: CallKey): Promise<StepCost[]> {
  const { rows } =
    await sql<StepCost>`select kind, model, worst, cost, line -> 'charge' as charge from realtime.steps
    where account_id = ${accountId} and call_id = ${callId} order by position`.execute(tx)
  return rows
}

/** The steps of one kind and model together. */
export interface StepGroup {
  kind: StepKind
  model: string
  steps: number
  cost: bigint
  /** How many of the steps may have cost less. */
  ambiguous: number
  quantities: Record<string, number> | null
}

/** All steps after the first ones, by kind and model. */
export async function groupsAfter(
  tx: Tx,
  { accountId, callId }: CallKey,
  first: number,
): Promise<StepGroup[]> {
  const { rows } = await sql<StepGroup>`with rest as (
      select kind, model, cost, worst, line from realtime.steps where account_id = ${accountId} and call_id = ${callId}
      order by position offset ${first}
    ), units as (
      select r.kind, r.model, q.key as unit, sum(q.value::numeric) as total
      from rest r cross join lateral json_each_text(r.line -> 'quantities') q group by 1, 2, 3)
    select r.kind, r.model, count(*)::int as steps, sum(coalesce(r.cost, r.worst))::bigint as cost,
      count(*) filter (where r.cost is null or r.line ->> 'ambiguous' = 'true')::int as ambiguous,
      (select json_object_agg(u.unit, u.total order by u.unit) from units u where u.kind = r.kind and u.model = r.model) as quantities
    from rest r group by r.kind, r.model order by r.kind, r.model`.execute(tx)
  return rows
}
