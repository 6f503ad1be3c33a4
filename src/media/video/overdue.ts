/** Ends jobs that have taken too long, whatever they wait for. */
import type { App } from '#app'
import { maxVideoMs } from './accept.ts'
import { cancelJob } from './cancel.ts'
import { failVideo } from './settle.ts'
import { type DueVideo, keyOf, type VideoRow } from './store.ts'

type Created = Pick<VideoRow, 'created_at'>

/** What is left of its time. */
export const leftMsOf = ({ clock }: App, { created_at: createdAt }: Created): number =>
  createdAt.getTime() + maxVideoMs - clock.nowMs()

/** When it is looked at again: at its ceiling at the latest, so that nothing outlives it. */
export const untilCeiling = ({ created_at: createdAt }: Created, ms: number): Date =>
  new Date(Math.min(ms, createdAt.getTime() + maxVideoMs))

export const isOverdue = (app: App, due: DueVideo): boolean => leftMsOf(app, due) <= 0

/** What no upstream was asked for costs nobody anything; anything else may be billed. */
export async function endOverdue(app: App, due: DueVideo): Promise<void> {
  const failure = {
    code: 'TIMED_OUT' as const,
    mayBeBilled: ({ deployment }: VideoRow) => deployment !== null,
  }
  const ended = await failVideo(app, keyOf(due), failure, () => true)
  if (ended) await cancelJob(app, due)
}
