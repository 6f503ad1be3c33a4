import type { ImageOrder } from '#core/turn'
import type { Timeouts } from './spec.ts'

/** The interface of a provider room for images. */
export interface ImageProvider {
  /** Pictures of one call, where its wire knows no number of them; absent: as many as the model's entry says. */
  readonly maxCount?: number
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
  /** At least one, in whatever format and size the upstream chose. Those of the order that are not among them are lost: it may bill them. */
  images: Uint8Array[]
  /** The prompts that the upstream drew by in place of the caller's, of those of `images` for which it says them. */
  revisedPrompts?: ReadonlyMap<Uint8Array, string>
  /** Tokens, as far as the upstream claims them; `mediaInput` is the part of `input` that is pictures, if it counts them apart. */
  usage?: { input?: number; mediaInput?: number; output?: number }
}
