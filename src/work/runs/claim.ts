/** Claims a run, and releases it before its end. */
import type { RunJobApp } from './app.ts'
import { recordEvent } from './events/store.ts'
import { markStepsLost } from './journal/store.ts'
import type { RunLease } from './run-lease.ts'
import { changeRun, lockLeased, lockRun, type RunKey, type RunRow } from './store.ts'

/**
 * Makes `owner` the only one that may write to the run. Steps that an earlier worker began and did not end are lost. Returns undefined if
 * the run has ended.
 */
export function claimRun(
  app: Pick<RunJobApp, 'clock' | 'config' | 'db'>,
  runKey: RunKey,
  owner: string,
): Promise<RunRow | undefined> {
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const run = await lockRun(tx, runKey)
    if (!run || run.ended_at) return undefined
    await markStepsLost(tx, runKey, now)
    const isPending = run.status === 'queued' || run.status === 'waiting'
    await changeRun(tx, runKey, {
      owner,
      ...(isPending && { status: 'running' as const, retry_at: null }),
      ...(!run.started_at && {
        started_at: now,
        deadline: new Date(now.getTime() + app.config.work.maxMinutes * 60_000),
      }),
    })
    if (isPending) await recordEvent(tx, runKey, 'running', {}, now)
    return lockRun(tx, runKey)
  })
}

/** Releases a run, which another worker continues at once. */
export const release = ({ app, leaseKey }: RunLease): Promise<void> =>
  app.db.tx(async (tx) => {
    await lockLeased(tx, leaseKey)
    await changeRun(tx, leaseKey, { owner: null })
  })

/** Releases a run, which continues after `retryMs`. */
export const reschedule = (lease: RunLease): Promise<void> =>
  lease.app.db.tx(async (tx) => {
    const { leaseKey, retryMs } = lease
    const run = await lockLeased(tx, leaseKey)
    const retryAt = new Date(lease.now().getTime() + retryMs)
    const isCancelling = run.cancel_requested_at !== null
    await changeRun(tx, leaseKey, {
      owner: null,
      waits: run.waits + 1,
      ...(!isCancelling && { status: 'waiting' as const, retry_at: retryAt }),
    })
    if (!isCancelling)
      await recordEvent(tx, leaseKey, 'waiting', { retry_at: retryAt.toISOString() }, lease.now())
  })
