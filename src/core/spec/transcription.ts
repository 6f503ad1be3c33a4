import type { SpokenSegment, SpokenWord, TranscriptionOrder } from '#core/turn'
import type { Timeouts, Warmable } from './spec.ts'

/** The interface of a provider room for transcription. */
export interface TranscriptionProvider extends Warmable {
  /**
   * Calls the upstream once: no retry, no failover. Throws `UpstreamError` for every failure; `executed` says whether the upstream may have
   * done (and billed) the work nevertheless. Aborting `signal` ends the upstream call.
   */
  transcribe(call: TranscriptionCall): Promise<TranscriptionResult>
}

export interface TranscriptionCall {
  order: TranscriptionOrder
  /** The model's name at the upstream. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt; sent as the idempotency key to upstreams that accept one. */
  attemptId: string
  traceparent?: string | undefined
  /** Called with the upstream's own id of the call, where it says one. */
  onUpstreamId?: ((id: string) => void) | undefined
}

/** A transcript; every figure is a claim of the upstream. */
export interface TranscriptionResult {
  /** Empty where nothing was said. */
  text: string
  /** ISO 639-1, if the upstream says it. */
  language?: string
  /** The segments in order, if they were requested and the upstream has them. */
  segments?: SpokenSegment[]
  words?: SpokenWord[]
  usage?: { seconds?: number; input?: number; output?: number; costUsd?: number }
}
