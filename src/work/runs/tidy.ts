/** Ends overdue runs that no worker ends, and deletes runs whose retention is over. */
import { reportSettlement } from '#platform/ledger'
import { job, type RunJobApp } from './app.ts'
import { endRun } from './end.ts'
import { blobsOf } from './files/store.ts'
import { overtimeEnd } from './job.ts'
import { deleteRun, expiredRuns, lockRun, overdueRuns, type RunKey } from './store.ts'

const everyMs = 60_000
/** A worker ends its run at the deadline; a run that is later than this has no worker. */
const graceMs = 5 * 60_000
const atOnce = 100

export const tidyJob = job<null>({
  name: 'work.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, signal }) {
    const nowMs = app.clock.nowMs()
    for (const runKey of (await overdueRuns(app.db, new Date(nowMs - graceMs), atOnce)).map(runKeyOf))
      if (!signal.aborted) await endOverdue(app, runKey)
    for (const runKey of (await expiredRuns(app.db, new Date(nowMs), atOnce)).map(runKeyOf)) {
      if (signal.aborted) break
      // The bytes are deleted first: deleting them twice is harmless, but without the row they would never be deleted.
      await app.storage.delete(await blobsOf(app.db, runKey))
      await deleteRun(app.db, runKey)
    }
    return undefined
  },
})

const runKeyOf = ({ account_id, run_id }: { account_id: string; run_id: string }): RunKey => ({
  accountId: account_id,
  runId: run_id,
})

async function endOverdue(app: RunJobApp, runKey: RunKey): Promise<void> {
  const ended = await app.db.tx(async (tx) => {
    const run = await lockRun(tx, runKey)
    if (!run || run.ended_at) return undefined
    return { run, settled: await endRun(app, tx, run, overtimeEnd) }
  })
  if (ended) reportSettlement(app, ended.run.receipt_id, ended.settled)
}
