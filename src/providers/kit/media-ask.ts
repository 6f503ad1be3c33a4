/** What every request for pictures or sound says beside its body. */
import type { Timeouts } from '#providers/spec'
import type { WholeOptions } from './kit.ts'

/** A picture of high quality may take two minutes, and a long text one; no byte arrives before. */
const makingMs = 180_000

export interface MediaCall {
  signal: AbortSignal
  timeouts: Timeouts
  attemptId: string
  traceparent?: string | undefined
}

export const mediaAsk = (
  { signal, timeouts, attemptId, traceparent }: MediaCall,
  path: string,
  body: NonNullable<WholeOptions['body']>,
): WholeOptions => ({
  path,
  body,
  headers: { accept: '*/*', 'idempotency-key': attemptId, ...(traceparent !== undefined && { traceparent }) },
  signal,
  timeouts,
  firstByteMs: Math.min(timeouts.totalMs, timeouts.firstByteMs + makingMs),
})
