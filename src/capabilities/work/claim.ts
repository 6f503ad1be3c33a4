/** Taking a run up, and laying it down before its end. */
import type { App } from '#app'
import { tellRun } from './events/store.ts'
import { loseSteps } from './journal/store.ts'
import type { RunLease } from './run-lease.ts'
import { changeRun, lockHeld, lockRun, type Place, type RunRow } from './store.ts'

/**
 * The run is `owner`'s from here on, and nobody else may write of it. What another began and did not end is lost. Undefined when the
 * run has ended.
 */
export function claimRun(app: App, place: Place, owner: string): Promise<RunRow | undefined> {
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const run = await lockRun(tx, place)
    if (!run || run.ended_at) return undefined
    await loseSteps(tx, place, now)
    const isNew = run.status === 'queued' || run.status === 'waiting'
    await changeRun(tx, place, {
      owner,
      ...(isNew && { status: 'running' as const, retry_at: null }),
      ...(!run.started_at && {
        started_at: now,
        deadline: new Date(now.getTime() + app.config.work.maxMinutes * 60_000),
      }),
    })
    if (isNew) await tellRun(tx, place, 'running', {}, now)
    return lockRun(tx, place)
  })
}

/** Another goes on at once. */
export const release = ({ app, held }: RunLease): Promise<void> =>
  app.db.tx(async (tx) => {
    await lockHeld(tx, held)
    await changeRun(tx, held, { owner: null })
  })

/** The run goes on later. */
export const reschedule = (shift: RunLease): Promise<void> =>
  shift.app.db.tx(async (tx) => {
    const { held, retryMs } = shift
    const run = await lockHeld(tx, held)
    const retryAt = new Date(shift.now().getTime() + retryMs)
    const isCancelling = run.cancel_requested_at !== null
    await changeRun(tx, held, {
      owner: null,
      waits: run.waits + 1,
      ...(!isCancelling && { status: 'waiting' as const, retry_at: retryAt }),
    })
    if (!isCancelling) await tellRun(tx, held, 'waiting', { retry_at: retryAt.toISOString() }, shift.now())
  })
