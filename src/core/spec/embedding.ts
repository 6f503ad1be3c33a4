import type { Timeouts } from './spec.ts'

/** The interface of a provider room for embeddings. */
export interface EmbeddingProvider {
  /**
   * Calls the upstream once: no retry, no failover. Throws `UpstreamError` for every failure; `executed` says whether the upstream may have
   * done (and billed) the work nevertheless. An answer without exactly one vector for each text is malformed.
   */
  embed(call: EmbeddingCall): Promise<EmbeddingResult>
}

/** The texts of one request and the form of their vectors. */
export interface EmbeddingOrder {
  texts: readonly string[]
  /** The requested dimensions, which every vector must have; when absent, the model's default. */
  dimensions?: number
  encoding: 'base64' | 'float'
}

export interface EmbeddingCall {
  order: EmbeddingOrder
  /** The model's name at the upstream. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt; sent as the idempotency key to upstreams that accept one. */
  attemptId: string
  traceparent?: string | undefined
}

export interface EmbeddingResult {
  /** One vector for each text, in order; all of the same dimensions and of length 1. */
  vectors: Float32Array[]
  /** Input tokens, if the upstream reports them. */
  usage?: { input: number }
}

/** The longest vector that is accepted. */
export const maxDimensions = 4_096
