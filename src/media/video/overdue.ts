/** Ends jobs that have taken too long, whatever they are waiting for. */
import { maxVideoMs } from './accept.ts'
import type { VideoApp } from './app.ts'
import { cancelJob } from './cancel.ts'
import { failVideo } from './settle.ts'
import { type DueVideo, keyOf, type VideoRow } from './store.ts'

type CreationTime = Pick<VideoRow, 'created_at'>

/** The time that the job has left. */
export const leftMsOf = (
  { clock }: Pick<VideoApp, 'clock'>,
  { created_at: createdAt }: CreationTime,
): number => createdAt.getTime() + maxVideoMs - clock.nowMs()

/** The time of the next look: at the job's ceiling at the latest, so that no job outlives it. */
export const untilCeiling = ({ created_at: createdAt }: CreationTime, ms: number): Date =>
  new Date(Math.min(ms, createdAt.getTime() + maxVideoMs))

export const isOverdue = (app: Pick<VideoApp, 'clock'>, due: DueVideo): boolean => leftMsOf(app, due) <= 0

/** Ends an overdue job. If no upstream was called, nobody is billed; otherwise the upstream may bill it. */
export async function endOverdue(app: VideoApp, due: DueVideo): Promise<void> {
  const failure = {
    code: 'TIMED_OUT' as const,
    mayBeBilled: ({ deployment }: VideoRow) => deployment !== null,
  }
  const ended = await failVideo(app, keyOf(due), failure, () => true)
  if (ended) await cancelJob(app, due)
}
