import type { AudioOrder } from '#core/turn'
import type { Timeouts, Warmable } from './spec.ts'

/** The interface of a provider room for audio: speech, dialogues, and spoken answers to recordings. */
export interface AudioProvider extends Warmable {
  /**
   * Calls the upstream once: no retry, no failover. The sound is written to `order.sink` as it arrives, and the result resolves at its end.
   * Throws `UpstreamError` for every failure; `executed` says whether the upstream may have made (and billed) the sound nevertheless, and
   * is always true once a byte was written. Aborting `signal` ends the upstream call.
   */
  speak(call: AudioCall): Promise<SpeechResult>
}

export interface AudioCall {
  order: AudioOrder
  /** The model's name at the upstream. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt; sent as the idempotency key to upstreams that accept one. */
  attemptId: string
  traceparent?: string | undefined
  /** Called with the upstream's own id of the call, where it says one, before the first byte. */
  onUpstreamId?: ((id: string) => void) | undefined
}

/** What an upstream reports at the end of its sound. */
export interface SpeechResult {
  /** The transcript of an answer to a recording. */
  transcript?: string
  usage?: {
    /** Characters that were billed. */
    characters?: number
    input?: number
    output?: number
  }
}
