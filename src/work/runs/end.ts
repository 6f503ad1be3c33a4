/** The only place where a run ends: its state, its money and its receipt in one transaction. */
import { type Cost, costOfLines, costOfStep, limitCost, readCost, storedCost, sumCosts } from '#core/models'
import { totalQuantities } from '#core/paid'
import type { Tx } from '#platform/db'
import type { Localized } from '#platform/errors'
import { type SettlementResult, settleHoldInTx } from '#platform/ledger'
import type { RunsApp } from './app.ts'
import { recordEvent } from './events/store.ts'
import { markStepsLost, type StepDetail, type StepRow, stepsOf } from './journal/store.ts'
import { changeRun, lockRun, type RunRow } from './store.ts'

export interface RunEnd {
  status: 'succeeded' | 'failed' | 'cancelled'
  words: Localized
  partial?: boolean
  /** The error code of a failed run. */
  code?: string
}

const dayMs = 24 * 60 * 60 * 1000
/** How long a run, its words and its files are kept after its end; its receipt is kept for good. */
export const retentionMs = 30 * dayMs

/** The request was answered with 202, and its receipt keeps that status. */
const acceptedStatus = 202

/** Ends a run that the caller has locked and that has not ended. Steps still under way are lost. */
export async function endRun(
  app: Pick<RunsApp, 'clock' | 'config'>,
  tx: Tx,
  run: RunRow,
  end: RunEnd,
): Promise<SettlementResult> {
  const now = new Date(app.clock.nowMs())
  const runKey = { accountId: run.account_id, runId: run.run_id }
  await markStepsLost(tx, runKey, now)
  const { spent } = (await lockRun(tx, runKey))!
  const steps = await stepsOf(tx, runKey)
  const settled = await settleHoldInTx(
    tx,
    {
      ...runKey,
      receiptId: run.receipt_id,
      microcredits: spent,
      withinHold: true,
      state: end.status === 'failed' ? 'failed' : 'completed',
      statusCode: acceptedStatus,
      tokens: tokensOf(steps),
      quantities: totalQuantities(steps.map(({ detail }) => detail?.quantities ?? {})),
      detail: detailOf(run, end, steps),
      thresholdsPercent: app.config.budgets.thresholdsPercent,
    },
    now,
  )
  await changeRun(tx, runKey, {
    status: end.status,
    words: end.words,
    partial: end.partial ?? false,
    error_code: end.code ?? null,
    spent: settled.chargedMicrocredits,
    owner: null,
    retry_at: null,
    ...(end.status === 'succeeded' && { percent: 100 }),
    ended_at: now,
    expires_at: new Date(now.getTime() + retentionMs),
  })
  await recordEvent(tx, runKey, end.status, { words: end.words, ...(end.code && { code: end.code }) }, now)
  return settled
}

function tokensOf(steps: readonly StepRow[]) {
  const sum = (kind: keyof NonNullable<StepDetail['tokens']>): number =>
    steps.reduce((total, { detail }) => total + (detail?.tokens?.[kind] ?? 0), 0)
  return {
    input: sum('input'),
    cachedInput: sum('cachedInput'),
    output: sum('output'),
    reasoning: sum('reasoning'),
  }
}

/** The cost of a step. One that was lost is charged at its worst case, of which nothing more is known. */
function costOf({ step, state, cost, detail }: StepRow): Cost {
  const recorded = readCost(detail?.charge, detail?.model ?? null)
  if (recorded) return costOfStep(recorded, step)
  if (state === 'lost') return limitCost(cost, { step })
  return costOfLines([{ unit: 'steps', quantity: cost > 0n ? 1 : 0, price: cost }], { step })
}

/** The details in the receipt. */
const detailOf = (run: RunRow, end: RunEnd, steps: readonly StepRow[]): Record<string, unknown> => ({
  outcome: end.status,
  run_id: run.run_id,
  kind: run.kind,
  ...(end.partial && { partial: true }),
  ...(end.code && { error_code: end.code }),
  usage_source: steps.some(({ detail }) => detail?.usage_source === 'estimated') ? 'estimated' : 'upstream',
  steps: steps
    .filter(({ kind }) => kind !== 'once')
    .map(({ step, kind, state, cost, detail, effect_id }) => ({
      step,
      kind,
      state,
      microcredits: Number(cost),
      ...(detail?.model && { model: detail.model }),
      ...(detail?.may_have_run && { may_have_run: true }),
      // It is unknown which upstream was called; the call id that was sent with the call finds its invoice.
      ...(kind === 'ask' && state === 'lost' && !detail?.model && { ambiguous: true, call_id: effect_id }),
    })),
  tokens: tokensOf(steps),
  attempts: steps.flatMap(({ detail }) => detail?.attempts ?? []),
  ...(steps.some(({ detail }) => detail?.claims) && {
    claims: steps.flatMap(({ detail }) => detail?.claims ?? []),
  }),
  charge: storedCost(sumCosts(steps.map(costOf)), run.model),
})
