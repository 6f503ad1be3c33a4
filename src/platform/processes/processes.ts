/**
 * The processes that share one database. Each writes a heartbeat; whose heartbeat is older than the lease counts as dead, and what it
 * has begun (holds, jobs, deliveries) is given to the living by their sweeps.
 */
import { randomUUID } from 'node:crypto'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import * as store from './store.ts'

export interface Processes extends AsyncDisposable {
  /** Of this process. Rows of work that hangs on its life bear it; SQL asks by `ledger.lives`. */
  readonly id: string
  /** Without a heartbeat for so long, a process counts as dead. */
  readonly leaseMs: number
  /** Runs at each sweep, one after the other as they were added, and only while this process may judge the life of others. */
  afterSweep(work: () => Promise<unknown>): void
}

export interface ProcessesOptions {
  db: Db
  log: Log
  timing: { processLeaseMs: number; heartbeatMs: number; sweepMs: number }
}

/** Makes this process known to the others. Disposing it signs off. */
export async function joinProcesses({ db, log, timing }: ProcessesOptions): Promise<Processes> {
  const { processLeaseMs: leaseMs, heartbeatMs, sweepMs } = timing
  const id = randomUUID()
  await store.writeHeartbeat(db, id, leaseMs)
  let lastHeartbeatMs = performance.now()
  // After a silence of our own (a database that was away, a machine that slept, a time before our start) the others were perhaps
  // as silent, and get the time for a heartbeat before they are taken for dead.
  let judgesFromMs = lastHeartbeatMs + leaseMs
  // Over before the next is due, which then goes out on a new connection: one that swallows a heartbeat (a firewall forgot it, a
  // peer vanished) costs one heartbeat, and two may be lost before the lease is.
  const timeoutMs = heartbeatMs * 0.75

  const heartbeat = repeat(
    heartbeatMs,
    async () => {
      await store.writeHeartbeat(db, id, timeoutMs)
      const nowMs = performance.now()
      if (nowMs - lastHeartbeatMs > leaseMs / 2) judgesFromMs = nowMs + leaseMs
      lastHeartbeatMs = nowMs
    },
    log,
  )
  const mayJudge = (): boolean =>
    performance.now() >= judgesFromMs && performance.now() - lastHeartbeatMs <= leaseMs / 2
  const sweeps: (() => Promise<unknown>)[] = []
  const sweep = repeat(
    sweepMs,
    async () => {
      if (!mayJudge()) return
      for (const work of sweeps) await work()
    },
    log,
  )
  return {
    id,
    leaseMs,
    afterSweep: (work) => void sweeps.push(work),
    async [Symbol.asyncDispose]() {
      await Promise.all([heartbeat.stop(), sweep.stop()])
      await store
        .signOff(db, id, timeoutMs)
        .catch((error: unknown) => log.warn({ err: error }, 'the process could not sign off'))
    },
  }
}

/** Runs `work` again and again, never twice at once; trouble is logged and tried again next time. */
function repeat(everyMs: number, work: () => Promise<unknown>, log: Log): { stop: () => Promise<void> } {
  let running: Promise<unknown> = Promise.resolve()
  let free = true
  const timer = setInterval(() => {
    if (!free) return
    free = false
    running = work()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'a heartbeat or a sweep of this process failed; it is tried again'),
      )
      .finally(() => {
        free = true
      })
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
