import type { ImageOrder } from '#core/turn'
import type { Timeouts } from './spec.ts'

/** The interface of a provider room for images. */
export interface ImageProvider {
  /** The most pictures of one call, where the provider's wire has no field for their number; absent: as many as the model's entry says. */
  readonly maxCount?: number
  /**
   * Calls the upstream once: no retry, no failover. Throws `UpstreamError` for every failure; `executed` says whether the upstream may have
   * made (and billed) the image nevertheless. Aborting `signal` ends the upstream call.
   */
  draw(call: ImageCall): Promise<ImageResult>
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

export interface ImageResult {
  /**
   * At least one picture, in whatever format and size the upstream chose. Ordered pictures that are not among them are lost; the upstream may bill
   * them.
   */
  images: Uint8Array[]
  /** The prompts that the upstream drew by in place of the caller's, for those of `images` for which it reports one. */
  revisedPrompts?: ReadonlyMap<Uint8Array, string>
  /** Tokens, as far as the upstream claims them; `mediaInput` is the part of `input` that is pictures, if it counts them apart. */
  usage?: { input?: number; mediaInput?: number; output?: number }
}
