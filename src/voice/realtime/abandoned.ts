/** Ends calls whose process is dead, in another process: the cost of their steps is charged, and the worst case of steps under way. */
import type { CallRegistryApp, CallSettlementApp } from './app.ts'
import { writeSoundLostOfDead } from './keep/transcript-store.ts'
import { settleCall } from './money/settle.ts'
import type { UpstreamCall } from './parts.ts'
import { deleteDeadProcesses } from './process-store.ts'
import { deleteExpiredSecrets } from './secret-store.ts'
import { abandonedCalls, type CallRow, callsToHangUp, writeHungUp } from './store.ts'

const atOnce = 100
/** A living process ends its overdue calls by then; this is for calls that it has lost track of. */
const overdueMs = 60_000

/** The longest time that an upstream keeps a call. */
const maxMs = 2 * 3_600_000
/** The time after which a living process has hung up, or has given up. */
const ownMs = 15_000

/** Ends a call at its upstream, where it may have ended before. Throws where the outcome is unknown. */
export type HangUpFunction = (call: UpstreamCall) => Promise<void>

/** Hangs up ended calls that their process could not hang up: it died, or their upstream did not answer. */
export async function hangUpLeft(
  { db, clock, log, processes }: Pick<CallRegistryApp, 'db' | 'clock' | 'log' | 'processes'>,
  hangUp: HangUpFunction,
): Promise<void> {
  const nowMs = clock.nowMs()
  const [since, until] = [new Date(nowMs - maxMs), new Date(nowMs - ownMs)]
  const rows = await callsToHangUp(db, processes, { since, until, most: atOnce })
  await Promise.all(
    rows.map(async ({ upstream_call: id, upstream_provider: provider, receipt_id: receipt, ...row }) => {
      try {
        await hangUp({ provider, id })
        await writeHungUp(db, keyOf(row))
        log.warn({ receipt, provider }, 'a call was hung up at its upstream, for a process that could not')
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        log.warn({ receipt, provider, why }, 'a call could not be hung up at its upstream; it is tried again')
      }
    }),
  )
}

/** Settles abandoned calls; runs at each sweep of each process. */
export async function sweepCalls(app: CallSettlementApp & Pick<CallRegistryApp, 'processes'>): Promise<void> {
  const { db, clock, log, processes } = app
  const before = new Date(clock.nowMs() - overdueMs)
  for (let found = atOnce; found === atOnce; ) {
    const calls = await abandonedCalls(db, processes, { before, most: atOnce })
    for (const row of calls) {
      const ended = await settleCall(app, keyOf(row), { reason: 'failed', endedAt: lastTickAt })
      if (ended)
        log.warn({ receipt: ended.receipt_id, process: ended.process_id }, 'a call was ended for its process')
    }
    found = calls.length
  }
  await writeSoundLostOfDead(db, processes)
  await deleteDeadProcesses(db, processes)
  await deleteExpiredSecrets(db, new Date(clock.nowMs()))
}

/** The end of a lost call is its last tick, since nobody knows how long it went on after that. */
const lastTickAt = (row: CallRow): Date => row.tick_at

const keyOf = ({ account_id, call_id }: Pick<CallRow, 'account_id' | 'call_id'>) => ({
  accountId: account_id,
  callId: call_id,
})
