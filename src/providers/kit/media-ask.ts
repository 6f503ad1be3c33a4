/** The common part of every request for pictures, sound or transcripts, beside its body. */
import type { Timeouts } from '#core/spec'
import type { AbortableOptions } from './kit.ts'

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

/** `recordingSeconds` is the length of the recording that is sent. */
export const mediaRequest = (
  { signal, timeouts, attemptId, traceparent }: MediaCall,
  path: string,
  body: NonNullable<AbortableOptions['body']>,
  recordingSeconds = 0,
): AbortableOptions => ({
  path,
  body,
  headers: { accept: '*/*', 'idempotency-key': attemptId, ...(traceparent !== undefined && { traceparent }) },
  signal,
  timeouts,
  firstByteMs: Math.min(
    timeouts.totalMs,
    timeouts.firstByteMs + makingMs + recordingSeconds * listeningMsPerSecond,
  ),
})
