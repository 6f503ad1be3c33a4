/** Ends jobs that have taken too long, whatever they wait for. */
import type { App } from '#app'
import { maxVideoMs } from './accept.ts'
import { cancelJob } from './cancel.ts'
import { failVideo } from './settle.ts'
import { type DueVideo, keyOf, type VideoRow } from './store.ts'

export const isOverdue = ({ clock }: App, { created_at: createdAt }: DueVideo): boolean =>
  createdAt.getTime() + maxVideoMs <= clock.nowMs()

/** What no upstream was asked for costs nobody anything; anything else may be billed. */
export async function endOverdue(app: App, due: DueVideo): Promise<void> {
  const failure = {
    code: 'TIMED_OUT' as const,
    mayBeBilled: ({ deployment }: VideoRow) => deployment !== null,
  }
  const ended = await failVideo(app, keyOf(due), failure, () => true)
  if (ended) await cancelJob(app, due)
}
