/** Sends one event to one address, once. */
import type { Log } from '#platform/log'
import { FetchRefused, type KeepAliveClient } from '#platform/net'
import { signatureHeaders } from '../secret.ts'
import { type AttemptResult, retryAfterMs } from './retry.ts'
import type { DueDelivery } from './store.ts'

/** The time limit from the first query to the name server to the end of the answer. */
const timeoutMs = 15_000
/** The size limit of the answer, which is not stored. */
const maxBytes = 64 * 1024

export interface DeliveryTarget {
  client: KeepAliveClient
  secret: string
  oldSecret: string | undefined
}

/** Returns undefined if it was aborted; then it does not count as an attempt. */
export async function attempt(
  target: DeliveryTarget,
  event: DueDelivery,
  nowMs: number,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<AttemptResult | undefined> {
  const body = bodyOf(event)
  const timestamp = Math.floor(nowMs / 1000)
  const { secret, oldSecret } = target
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'kherad-webhooks',
    ...signatureHeaders({ eventId: event.event_id, timestamp, body, secret, oldSecret }),
  }
  const startedMs = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedMs)
  try {
    const reply = await target.client.post({ headers, body, timeoutMs, maxBytes, signal })
    const retryMs = retryAfterMs(reply.status, [reply.headers['retry-after']].flat()[0], nowMs)
    const ended = { status: reply.status, durationMs: durationMs() }
    return retryMs === undefined ? ended : { ...ended, retryAfterMs: retryMs }
  } catch (error) {
    // A defect of ours counts as an attempt, so that it is tried again at its time, and not in a tight loop.
    if (!(error instanceof FetchRefused)) {
      log.error({ err: error, delivery_id: event.delivery_id }, 'an event could not be sent')
      return { reason: 'internal', durationMs: durationMs() }
    }
    return error.reason === 'aborted' ? undefined : { reason: error.reason, durationMs: durationMs() }
  }
}

/** The body, the same to the byte in every attempt. */
const bodyOf = ({ event_id: id, type, created_at, project_id, data }: DueDelivery): string =>
  `${JSON.stringify({ id, type, created_at: created_at.toISOString(), project_id }).slice(0, -1)},"data":${data}}`
