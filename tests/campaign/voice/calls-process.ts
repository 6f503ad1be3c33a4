/** What a process has that holds realtime calls, and no server: several of them on one database, to race them and to kill them. */
import type { App } from '#app'
import { openKeyRing } from '#platform/auth'
import { type Clock, systemClock } from '#platform/clock'
import { type Db, openDb } from '#platform/db'
import { openRealtimeCalls, type RealtimeCalls } from '#voice/realtime'
import '#platform/http'
import { ledgerSeries, openLedger } from '#platform/ledger'
import type { Log } from '#platform/log'
import { openMetrics } from '#platform/metrics'
import { joinProcesses } from '#platform/processes'

export interface CallsProcess extends AsyncDisposable {
  db: Db
  clock: Clock
  realtime: RealtimeCalls
  /** Others take it for dead from now on, and it goes on all the same. */
  seemDead(): Promise<void>
}

export interface CallsProcessOptions {
  databaseUrl: string
  leaseMs: number
  clock?: Clock
  nowMs?: () => number
  /** Of errors, which must not be. */
  onError?: (what: string) => void
}

export async function openCallsProcess({
  databaseUrl,
  leaseMs,
  clock = systemClock,
  nowMs,
  onError = () => {},
}: CallsProcessOptions): Promise<CallsProcess> {
  await using stack = new AsyncDisposableStack()
  const quiet = { trace() {}, debug() {}, info() {}, warn() {}, fatal() {} }
  const log: Log = { ...quiet, error: (_fields: unknown, what?: string) => onError(what ?? '') }
  const db = stack.use(await openDb({ url: databaseUrl, connectMs: 60_000 }))
  const timing = { processLeaseMs: leaseMs, heartbeatMs: leaseMs / 4, sweepMs: leaseMs / 4 }
  const processes = await joinProcesses({ db, log, timing })
  let isGone = false
  const seemDead = async (): Promise<void> => {
    if (!isGone) await processes[Symbol.asyncDispose]()
    isGone = true
  }
  stack.defer(seemDead)
  const thresholdsPercent = [50, 80, 100]
  const ledger = stack.use(openLedger({ db, clock, log, processes, thresholdsPercent }))
  const keys = stack.use(openKeyRing({ db, clock, log }))
  const metrics = openMetrics(ledgerSeries) as App['metrics']
  const config = { budgets: { thresholdsPercent } } as App['config']
  const app = { db, clock, log, metrics, config, ledger, keys, processes }
  const realtime = stack.use(await openRealtimeCalls(app, { capacity: 1_000, nowMs }))
  const inner = stack.move()
  return { db, clock, realtime, seemDead, [Symbol.asyncDispose]: () => inner.disposeAsync() }
}
