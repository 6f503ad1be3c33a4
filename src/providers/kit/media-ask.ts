/** The common part of every request for pictures, sound or transcripts, beside its body. */
import type { Timeouts } from '#core/spec'
import type { WholeOptions } from './kit.ts'

/** A picture of high quality may take two minutes, and a long text one; no byte arrives before. */
const makingMs = 180_000
/** A server without a graphics card needs as long for a recording as it lasts. */
const listeningMsPerSecond = 1_000

export interface MediaCall {
  signal: AbortSignal
  timeouts: Timeouts
  attemptId: string
  traceparent?: string | undefined
}

/** `heardSeconds` is the length of the recording that is sent. */
export const mediaAsk = (
  { signal, timeouts, attemptId, traceparent }: MediaCall,
  path: string,
  body: NonNullable<WholeOptions['body']>,
  heardSeconds = 0,
): WholeOptions => ({
  path,
  body,
  headers: { accept: '*/*', 'idempotency-key': attemptId, ...(traceparent !== undefined && { traceparent }) },
  signal,
  timeouts,
  firstByteMs: Math.min(
    timeouts.totalMs,
    timeouts.firstByteMs + makingMs + heardSeconds * listeningMsPerSecond,
  ),
})
