import { sql } from 'kysely'
import type { StoredPart } from '#core/models'
import type { Db, Tx } from '#platform/db'
import type { Quantities } from '#platform/ledger'
import type { LeaseKey, RunKey } from '../store.ts'

export type StepKind = 'ask' | 'search' | 'read' | 'once'

export interface StepRow {
  step: string
  kind: StepKind
  state: 'started' | 'done' | 'failed' | 'lost'
  effect_id: string
  worst: bigint
  cost: bigint
  result: string | null
  result_key: string | null
  error_code: string | null
  detail: StepDetail | null
}

/** Details of a step for the receipt; they never contain text of a prompt or an answer. */
export interface StepDetail {
  model?: string
  tokens?: { input: number; cachedInput: number; output: number; reasoning: number }
  /** Usage in other units than tokens. */
  quantities?: Quantities
  usage_source?: string
  attempts?: unknown[]
  /** Figures of the upstream that are impossible. */
  claims?: unknown[]
  /** The lines of its cost, for the model of this detail. */
  charge?: readonly StoredPart[]
  /** The call failed after it was sent: the upstream may have executed it. */
  may_have_run?: true
}

export interface StepStart {
  step: string
  kind: StepKind
  effectId: string
  worst: bigint
  now: Date
}

/** Records the beginning of a step; see `work.begin_step` in migrations/0008-work.sql. */
export async function beginStep(
  db: Db,
  { accountId, runId, owner }: LeaseKey,
  { step, kind, effectId, worst, now }: StepStart,
): Promise<'begun' | 'known' | 'short' | 'gone'> {
  const [row] = await db.query<{ how: 'begun' | 'known' | 'short' | 'gone' }>(
    { name: 'work.begin_step', text: 'select work.begin_step($1, $2, $3, $4, $5, $6, $7, $8) as how' },
    [accountId, runId, owner, step, kind, effectId, worst, now],
  )
  return row!.how
}

export interface StepEnd {
  step: string
  effectId: string
  /** `undone`: the step is deleted, as if it had never begun. */
  state: 'done' | 'failed' | 'lost' | 'undone'
  cost: bigint
  result?: string | undefined
  resultKey?: string | undefined
  errorCode?: string | undefined
  detail?: StepDetail | undefined
  now: Date
}

/** Records the end of a step. Returns false if another worker has the run. */
export async function endStep(db: Db, { accountId, runId, owner }: LeaseKey, end: StepEnd): Promise<boolean> {
  const [row] = await db.query<{ mine: boolean }>(
    {
      name: 'work.end_step',
      text: 'select work.end_step($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as mine',
    },
    [
      accountId,
      runId,
      owner,
      end.step,
      end.effectId,
      end.state === 'undone' ? null : end.state,
      end.cost,
      end.result ?? null,
      end.resultKey ?? null,
      end.errorCode ?? null,
      end.detail ? JSON.stringify(end.detail) : null,
      end.now,
    ],
  )
  return row!.mine
}

export async function findStep(
  db: Db,
  { accountId, runId }: RunKey,
  step: string,
): Promise<StepRow | undefined> {
  const [row] = await db.query<StepRow>(
    {
      name: 'work.find_step',
      text: `select step, kind, state, effect_id, worst, cost, result, result_key, error_code, detail from work.steps
        where account_id = $1 and run_id = $2 and step = $3`,
    },
    [accountId, runId, step],
  )
  return row
}

/** All steps in the order in which they began, without their results. */
export async function stepsOf(tx: Tx, { accountId, runId }: RunKey): Promise<StepRow[]> {
  const { rows } = await sql<StepRow>`
    select step, kind, state, effect_id, worst, cost, null as result, null as result_key, error_code, detail
    from work.steps where account_id = ${accountId} and run_id = ${runId} order by started_at, effect_id`.execute(
    tx,
  )
  return rows
}

/** Marks steps that were begun and not ended as lost; they are charged at their worst case. The caller has locked the run. */
export async function markStepsLost(tx: Tx, { accountId, runId }: RunKey, now: Date): Promise<void> {
  await sql`select work.lose_steps(${accountId}, ${runId}, ${now})`.execute(tx)
}

/** Records a free step that is done at once; the first result stays. Returns false if another worker has the run. */
export async function storeFreeStep(
  db: Db,
  { accountId, runId, owner }: LeaseKey,
  {
    step,
    effectId,
    result,
    resultKey,
    now,
  }: Pick<StepEnd, 'step' | 'effectId' | 'result' | 'resultKey' | 'now'>,
): Promise<boolean> {
  const mine = await db.query(
    {
      name: 'work.put_once',
      text: `with mine as (
          select account_id, run_id from work.runs where account_id = $1 and run_id = $2 and owner = $3 and ended_at is null for update
        ), put as (
          insert into work.steps (account_id, run_id, step, kind, state, effect_id, worst, result, result_key, started_at, ended_at)
          select account_id, run_id, $4, 'once', 'done', $5, 0, $6, $7, $8, $8 from mine on conflict do nothing
        )
        select from mine`,
    },
    [accountId, runId, owner, step, effectId, result ?? null, resultKey ?? null, now],
  )
  return mine.length === 1
}
