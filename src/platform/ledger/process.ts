/** The life of this process as the others see it: it beats, and what died with others is swept. */
import { randomUUID } from 'node:crypto'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import * as store from './store.ts'

export async function keepAlive(ask: {
  db: Db
  log: Log
  timing: { processLeaseMs: number; heartbeatMs: number; sweepMs: number }
  sweep: () => Promise<unknown>
}): Promise<{ id: string; end: () => Promise<void> }> {
  const { db, log, timing } = ask
  const id = randomUUID()
  await store.beat(db, id, timing.processLeaseMs)
  let lastBeatMs = performance.now()
  // After a silence of our own (a database that was away, a machine that slept, a time before our start) the others were perhaps
  // as silent, and get the time to beat again before they are taken for dead.
  let judgesFromMs = lastBeatMs + timing.processLeaseMs
  // Over before the next is due, which then goes out on a new connection: one that swallows a beat (a firewall forgot it, a
  // peer vanished) costs one beat, and two may be lost before the lease is.
  const timeoutMs = timing.heartbeatMs * 0.75

  const beat = repeat(
    timing.heartbeatMs,
    async () => {
      await store.beat(db, id, timeoutMs)
      const nowMs = performance.now()
      if (nowMs - lastBeatMs > timing.processLeaseMs / 2) judgesFromMs = nowMs + timing.processLeaseMs
      lastBeatMs = nowMs
    },
    log,
  )
  const judges = (): boolean =>
    performance.now() >= judgesFromMs && performance.now() - lastBeatMs <= timing.processLeaseMs / 2
  const sweep = repeat(timing.sweepMs, async () => (judges() ? ask.sweep() : 0), log)
  return {
    id,
    async end() {
      await Promise.all([beat.stop(), sweep.stop()])
      await store
        .endProcess(db, id, timeoutMs)
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
        log.warn({ err: error }, 'background work of the ledger failed; it is tried again'),
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
