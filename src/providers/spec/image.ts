import type { ImageOrder } from '#engine/turn'
import type { Timeouts } from './spec.ts'

/** The interface of a provider room for images. */
export interface ImageProvider {
  /**
   * Calls the upstream once: no retry, no failover. Throws `UpstreamError` for every failure; `executed` says whether the upstream may have
   * made (and billed) the image nevertheless. Aborting `signal` ends the upstream call.
   */
  draw(call: ImageCall): Promise<Drawn>
}

export interface ImageCall {
  order: ImageOrder
  /** The model's name at the upstream. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt; sent as the idempotency key to upstreams that accept one. */
  attemptId: string
  traceparent?: string | undefined
}

export interface Drawn {
  /** At least one, in whatever format and size the upstream chose. */
  images: Uint8Array[]
  /** The prompts that the upstream drew by in place of the caller's, of those of `images` for which it says them. */
  revisedPrompts?: ReadonlyMap<Uint8Array, string>
  /** Tokens, if the upstream reports them. */
  usage?: { input: number; output: number }
}
