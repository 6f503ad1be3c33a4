import { acceptOnce } from '#core/calls'
import type { Tx } from '#platform/db'
import type { JsonText } from '#platform/http'
import { reportSettlement, type SettlementResult } from '#platform/ledger'
import type { RunsApp } from './app.ts'
import { endRun } from './end.ts'
import { recordEvent } from './events/store.ts'
import { endings } from './phrases.ts'
import { notFound, type RunContext, requireRun, runKeyOf, summaryOptionsOf } from './read.ts'
import { toRunSummary } from './run-summary.ts'
import { changeRun, lockRun, type RunRow } from './store.ts'

/**
 * Cancels a run. Without a worker the run ends at once; otherwise its worker sees the request within a second. A run that has ended stays as it is.
 */
export async function cancelRun(context: RunContext): Promise<JsonText> {
  const { app } = context
  const runKey = runKeyOf(await requireRun(context, 'work:write'))
  const now = new Date(app.clock.nowMs())
  const ended: { run?: RunRow; settled?: SettlementResult | undefined } = {}
  const reply = await acceptOnce(
    context,
    { endpoint: '/v1/work/cancel', statusCode: 200, now },
    async (tx) => {
      const found = await lockRun(tx, runKey)
      if (!found) return notFound()
      if (!found.ended_at) ended.settled = await endOrRequestCancel(app, tx, found, now)
      ended.run = (await lockRun(tx, runKey))!
      return toRunSummary(ended.run, summaryOptionsOf(context))
    },
  )
  if (ended.run && ended.settled) reportSettlement(app, ended.run.receipt_id, ended.settled)
  return reply
}

async function endOrRequestCancel(
  app: Pick<RunsApp, 'clock' | 'config'>,
  tx: Tx,
  run: RunRow,
  now: Date,
): Promise<SettlementResult | undefined> {
  if (run.owner === null) return endRun(app, tx, run, { status: 'cancelled', words: endings.cancelled })
  if (run.cancel_requested_at) return undefined
  const runKey = runKeyOf(run)
  await changeRun(tx, runKey, { status: 'cancelling', cancel_requested_at: now })
  await recordEvent(tx, runKey, 'cancelling', {}, now)
  return undefined
}
