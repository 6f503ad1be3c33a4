/** Ends jobs that have taken too long, whatever they wait for. */
import type { App } from '#app'
import { maxVideoMs } from './accept.ts'
import { lookTimeouts } from './look.ts'
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
  if (!ended || due.ticket === null) return
  const upstream = app.inference.upstreamOf(due.provider!)
  await upstream?.orders.video?.cancel?.({
    ticket: { id: due.ticket },
    upstreamModel: due.upstream_model!,
    signal: AbortSignal.timeout(cancelMs),
    timeouts: lookTimeouts(upstream.timeouts),
  })
}

const cancelMs = 30_000
