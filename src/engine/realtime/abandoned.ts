/** Calls whose process is dead are ended by another: what their steps have cost, and those under way at their worst, is charged. */
import type { App } from '#app'
import { writeLostOfDead } from './keep/transcript-store.ts'
import { type Settling, settleCall } from './money/settle.ts'
import { deleteDeadProcesses } from './process-store.ts'
import { deleteExpiredSecrets } from './secret-store.ts'
import { abandonedCalls, type CallRow } from './store.ts'

const atOnce = 100
/** A living process ends its calls when their time is over; this is for those that it has lost. */
const overdueMs = 60_000

/** Runs at each sweep of each process. */
export async function sweepCalls(app: Settling & Pick<App, 'processes'>): Promise<void> {
  const { db, clock, log, processes } = app
  const { leaseMs } = processes
  const before = new Date(clock.nowMs() - overdueMs)
  for (let found = atOnce; found === atOnce; ) {
    const calls = await abandonedCalls(db, { leaseMs, before, most: atOnce })
    for (const row of calls) {
      const ended = await settleCall(app, keyOf(row), { reason: 'failed', endedAt: lastSeen })
      if (ended)
        log.warn({ receipt: ended.receipt_id, process: ended.process_id }, 'a call was ended for its process')
    }
    found = calls.length
  }
  await writeLostOfDead(db, leaseMs)
  await deleteDeadProcesses(db, leaseMs)
  await deleteExpiredSecrets(db, new Date(clock.nowMs()))
}

/** Nobody knows how long it went on after that. */
const lastSeen = (row: CallRow): Date => row.tick_at

const keyOf = ({ account_id, call_id }: Pick<CallRow, 'account_id' | 'call_id'>) => ({
  accountId: account_id,
  callId: call_id,
})
