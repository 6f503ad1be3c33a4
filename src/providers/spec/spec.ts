import type { Part, Turn, Wire } from '#engine/turn'

export {
  type Embedded,
  type EmbeddingCall,
  type EmbeddingOrder,
  type EmbeddingProvider,
  maxDimensions,
} from './embedding.ts'
export type { Drawn, ImageCall, ImageProvider } from './image.ts'

/** The interface of a provider room for text. A room knows its vendor's wire and nothing of money, keys or HTTP servers. */
export interface TextProvider {
  /** The wires this provider speaks natively. */
  readonly wires: readonly Wire[]
  /**
   * Asks the upstream once: no retry, no failover (that is `engine/routing`).
   * Yields parts as they come; throws `UpstreamError` for every failure, also in mid-stream. Aborting `signal` ends the upstream call.
   */
  generate(call: TextCall): AsyncIterable<Part>
  /**
   * A cheap question that proves address and key (`kherad doctor`), with the upstream's own names of its models where it tells all of them.
   * Throws `UpstreamError`.
   */
  ping(signal: AbortSignal): Promise<readonly string[] | undefined>
}

export interface TextCall {
  turn: Turn
  /** The upstream's own name of the model. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt, for upstreams that take an idempotency key. */
  attemptId: string
  /** The trace that this call is part of, for providers that are to know it (W3C). */
  traceparent?: string | undefined
}

/** All in milliseconds. */
export interface Timeouts {
  connectMs: number
  firstByteMs: number
  firstTokenMs: number
  idleMs: number
  totalMs: number
}

/** Why an upstream did not answer; routing decides by `kind` and `executed`. */
export type UpstreamFault =
  | 'connect' // no connection: nothing was executed
  | 'reset' // the connection broke before an answer
  | 'timeout' // connect, first byte, first token, idle or total time ran out
  | 'rate_limited'
  | 'overloaded'
  | 'unavailable' // 5xx
  | 'invalid_request' // the upstream refused the request itself
  | 'context_overflow'
  | 'content_refused'
  | 'authentication' // our key at the upstream is bad: the operator's fault, never the caller's
  | 'not_found' // the upstream does not know the model
  | 'cut' // the stream ended before its finish
  | 'malformed' // an answer that is not of the wire
  | 'aborted' // the caller went away
  | 'not_allowed' // the key may pay for no more; `cause` says why, and nobody was asked

/** Faults that last until the operator or the vendor's support fixes something: the key, the account, an address, a name. */
const permanent: ReadonlySet<UpstreamFault> = new Set(['authentication', 'not_found'])

export class UpstreamError extends Error {
  override name = 'UpstreamError'
  readonly fault: UpstreamFault
  /** HTTP status of the upstream, when there was one. */
  readonly status: number | undefined
  /** False only when it is certain that the upstream did no work: no connection, or a refusal before any work. */
  readonly executed: boolean
  readonly retryAfterMs: number | undefined
  /** The upstream's own words, at most 500 characters, for the receipt and (for invalid_request) the caller. */
  readonly detail: string | undefined
  /** For the operator alone, secrets masked: what a caller's receipt must not show, such as the words of a vendor on our key. */
  readonly inside: string | undefined
  readonly param: string | undefined

  constructor(
    fault: UpstreamFault,
    more: {
      status?: number
      executed?: boolean
      retryAfterMs?: number
      detail?: string
      inside?: string
      param?: string
      cause?: unknown
    } = {},
  ) {
    super(
      `upstream ${fault}${more.status ? ` (${more.status})` : ''}${more.detail ? `: ${more.detail}` : ''}`,
      { cause: more.cause },
    )
    this.fault = fault
    this.status = more.status
    this.executed = more.executed ?? true
    this.retryAfterMs = more.retryAfterMs
    this.detail = more.detail?.slice(0, 500)
    this.inside = more.inside?.slice(0, 500)
    this.param = more.param
  }

  /** True where a retry, now or later, cannot help. */
  get isPermanent(): boolean {
    return permanent.has(this.fault)
  }
}
