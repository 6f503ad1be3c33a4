import type { VideoApp } from './app.ts'
import type { VideoRow } from './store.ts'
import { lookTimeouts } from './timeouts.ts'

const cancelMs = 30_000

/** Stops a job that nobody waits for any more, if its vendor can; best effort, never throws. */
export async function cancelJob(
  { inference, log }: Pick<VideoApp, 'inference' | 'log'>,
  {
    provider,
    ticket,
    upstream_model: upstreamModel,
  }: Pick<VideoRow, 'provider' | 'ticket' | 'upstream_model'>,
): Promise<void> {
  const upstream = provider === null ? undefined : inference.upstreamOf(provider)
  if (!upstream || ticket === null || upstreamModel === null) return
  await upstream.orders.video
    ?.cancel?.({
      ticket: { id: ticket },
      upstreamModel,
      signal: AbortSignal.timeout(cancelMs),
      timeouts: lookTimeouts(upstream.timeouts),
    })
    .catch((error: unknown) => log.warn({ err: error }, 'a job of a vendor could not be cancelled'))
}
