/** The only place where a call ends in the database: its row, its money, its receipt and its event in one transaction. */
import { storedCost } from '#core/models'
import { totalQuantities } from '#core/paid'
import type { Tx } from '#platform/db'
import { writeEvent } from '#platform/events'
import { reportSettlement, type SettlementResult, settleHoldInTx } from '#platform/ledger'
import type { CallSettlementApp } from '../app.ts'
import { callName } from '../call-id.ts'
import type { EndReason } from '../parts.ts'
import { type CallKey, type CallRow, lockRunning, writeEnded } from '../store.ts'
import { costOfSteps, maxLines, receiptDetail, usageOfSteps } from './receipt.ts'
import {
  costsOf,
  deleteSteps,
  deleteUntaken,
  firstSteps,
  groupsAfter,
  type StepEnd,
  type StepTotals,
  totalsOf,
  writeStepEnds,
} from './step-store.ts'

declare module '#platform/events' {
  interface Events {
    'realtime.ended': unknown
  }
}

export interface CallEnd {
  reason: EndReason
  /** The turns; absent: as the process wrote them last. */
  turns?: number
  /** The ends of steps whose cost is not in the database. All others without a cost count with their worst case. */
  stepEnds?: readonly StepEnd[]
  /** The ids of refused steps, which may have a row all the same. */
  unbegunSteps?: readonly string[]
  /** Facts for the receipt: losses, response times; never words. */
  facts?: Record<string, unknown>
  /** The file of its sound. */
  fileId?: string
  /** The time of the connection; absent: that of the row. */
  connectedAt?: Date | undefined
  /** The time of the end, by the row; default: now. */
  endedAt?: (row: CallRow) => Date
}

/** Ends a call and settles the cost of its steps. Returns undefined where it had ended before. */
export async function settleCall(
  app: CallSettlementApp,
  key: CallKey,
  end: CallEnd,
): Promise<CallRow | undefined> {
  const ended = await app.db.tx(async (tx) => {
    const row = await lockRunning(tx, key)
    if (!row) return undefined
    await writeStepEnds(tx, key, end.stepEnds ?? [])
    await deleteSteps(tx, key, end.unbegunSteps ?? [])
    if (row.engine === 'passthrough') await deleteUntaken(tx, key)
    return settleRow(app, tx, row, end)
  })
  if (!ended) return undefined
  reportSettlement(app, ended.row.receipt_id, ended.settled)
  return ended.row
}

async function settleRow(
  app: CallSettlementApp,
  tx: Tx,
  row: CallRow,
  end: CallEnd,
): Promise<{ row: CallRow; settled: SettlementResult }> {
  const key = { accountId: row.account_id, callId: row.call_id }
  const totals = await totalsOf(tx, key)
  const rows = await firstSteps(tx, key, maxLines)
  const cost = costOfSteps(await costsOf(tx, key))
  const groups = totals.steps > maxLines ? await groupsAfter(tx, key, maxLines) : []
  await deleteSteps(tx, key)
  const now = new Date(app.clock.nowMs())
  const ended: CallRow = {
    ...row,
    status: 'ended',
    reason: end.reason,
    turns: end.turns ?? row.turns,
    connected_at: row.connected_at ?? end.connectedAt ?? null,
    ended_at: end.endedAt?.(row) ?? now,
    file_id: end.fileId ?? row.file_id,
    charged: totals.cost,
    // A call that was never connected has no sound.
    ...(!row.connected_at && !end.connectedAt && { sound: null }),
  }
  const { tokens, quantities } = usageOfSteps(rows, groups)
  const detail = {
    ...headOf(ended, totals, end.facts),
    tokens,
    ...receiptDetail(rows, groups),
    charge: storedCost(cost, row.model),
  }
  await notify(tx, ended, now)
  // This comes last, because other holds of the account wait from here on.
  const settled = await settleHoldInTx(
    tx,
    {
      ...settlementOf(app, ended, totals),
      ...{ tokens, detail },
      quantities: totalQuantities([quantities, timeOf(ended)]),
    },
    now,
  )
  const paid = { ...ended, charged: settled.chargedMicrocredits }
  await writeEnded(tx, key, paid)
  return { row: paid, settled }
}

/** The seconds from the connection to the end; a call that was never connected has none. */
export const connectedSeconds = ({
  connected_at: from,
  ended_at: to,
}: Pick<CallRow, 'connected_at' | 'ended_at'>): number =>
  from && to ? Math.max(0, Math.ceil((to.getTime() - from.getTime()) / 1000)) : 0

const timeOf = (row: CallRow) => ({ seconds: connectedSeconds(row), turns: row.turns })

const settlementOf = (app: CallSettlementApp, row: CallRow, { cost, lost }: StepTotals) => ({
  accountId: row.account_id,
  receiptId: row.receipt_id,
  microcredits: cost + lost,
  lostMicrocredits: lost,
  withinHold: true,
  state: row.reason === 'failed' ? ('failed' as const) : ('completed' as const),
  statusCode: row.transport === 'webrtc' ? 201 : 101,
  thresholdsPercent: app.config.budgets.thresholdsPercent,
})

const headOf = (row: CallRow, { steps }: StepTotals, facts: CallEnd['facts']): Record<string, unknown> => ({
  outcome: row.reason === 'failed' ? 'failed' : 'completed',
  call: {
    id: callName(row.call_id),
    reason: row.reason,
    transport: row.transport,
    engine: row.engine,
    seconds: connectedSeconds(row),
    turns: row.turns,
    steps,
    ...facts,
  },
  total_ms: Math.max(0, row.ended_at!.getTime() - row.created_at.getTime()),
})

const notify = (tx: Tx, row: CallRow, now: Date): Promise<void> =>
  writeEvent(
    tx,
    {
      accountId: row.account_id,
      projectId: row.project_id,
      type: 'realtime.ended',
      data: {
        id: callName(row.call_id),
        status: row.status,
        reason: row.reason,
        model: row.model,
        request_id: row.receipt_id,
        seconds: connectedSeconds(row),
        turns: row.turns,
        charged_microcredits: String(row.charged),
      },
      onceKey: `realtime ${row.call_id}`,
    },
    now,
  )
