import type { ImageOrder } from '#engine/turn'
import type { Timeouts } from './spec.ts'

/** The interface of a provider room for images. */
export interface ImageProvider {
  /**
   * Asks the upstream once: no retry, no failover. Throws `UpstreamError` for every failure; `executed` says whether the
   * upstream may have drawn (and billed) all the same. Aborting `signal` ends the upstream call.
   */
  draw(call: ImageCall): Promise<Drawn>
}

export interface ImageCall {
  order: ImageOrder
  /** The upstream's own name of the model. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt, for upstreams that take an idempotency key. */
  attemptId: string
  traceparent?: string | undefined
}

export interface Drawn {
  /** At least one, in whatever format and size the upstream chose. */
  images: Uint8Array[]
  /** Tokens, where the upstream counts any. */
  usage?: { input: number; output: number }
}
