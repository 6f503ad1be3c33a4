import type { Timeouts } from './spec.ts'

/** The interface of a provider room for embeddings. */
export interface EmbeddingProvider {
  /**
   * Asks the upstream once: no retry, no failover. Throws `UpstreamError` for every failure; `executed` says whether the upstream may
   * have worked (and billed) all the same, and an answer of other than one vector a text is malformed.
   */
  embed(call: EmbeddingCall): Promise<Embedded>
}

/** The texts of one request and the form of their vectors. */
export interface EmbeddingOrder {
  texts: readonly string[]
  /** Asked for by name, and of every vector; absent: as the model has it. */
  dimensions?: number
  encoding: 'base64' | 'float'
}

export interface EmbeddingCall {
  order: EmbeddingOrder
  /** The upstream's own name of the model. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt, for upstreams that take an idempotency key. */
  attemptId: string
  traceparent?: string | undefined
}

export interface Embedded {
  /** One for each text, in its order, all of one length, each of length 1. */
  vectors: Float32Array[]
  /** Tokens, where the upstream counts any. */
  usage?: { input: number }
}

/** The longest vector that is accepted. */
export const maxDimensions = 4_096
