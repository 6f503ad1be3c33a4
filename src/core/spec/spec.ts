/** The interface between core and the providers: calls, results and the `UpstreamError`. */
import type { AnswerPart, Turn, Wire } from '#core/turn'

export type { AudioCall, AudioProvider, SpeechResult } from './audio.ts'
export {
  type EmbeddingCall,
  type EmbeddingOrder,
  type EmbeddingProvider,
  type EmbeddingResult,
  maxDimensions,
} from './embedding.ts'
export type { ImageCall, ImageProvider, ImageResult } from './image.ts'
export type {
  LiveCall,
  LiveLink,
  LiveSink,
  LiveTranscriber,
  LiveTranscript,
  LiveUsage,
} from './live-transcription.ts'
export type {
  PassthroughAnswer,
  PassthroughCalls,
  PassthroughOffer,
  PassthroughSetup,
  SideLink,
  SideSettings,
  SideSink,
} from './passthrough.ts'
export type {
  RealtimeCall,
  RealtimeEnd,
  RealtimeInput,
  RealtimeLink,
  RealtimeProvider,
  RealtimeSetup,
  RealtimeSink,
  RealtimeUsage,
} from './realtime.ts'
export type { TranscriptionCall, TranscriptionProvider, TranscriptionResult } from './transcription.ts'
export type { VideoCall, VideoLook, VideoProgress, VideoProvider, VideoTicket } from './video.ts'

/** A provider whose next call can be made quick. */
export interface Warmable {
  /** Loads what the next call needs, and opens a connection for it. Nothing is asked of the upstream, so that nothing is billed. Never rejects. */
  warm?(): Promise<void>
}

/** The interface of a provider room for text. A room knows its vendor's wire and nothing of money, keys or HTTP servers. */
export interface TextProvider extends Warmable {
  /** The wires this provider speaks natively. */
  readonly wires: readonly Wire[]
  /**
   * Calls the upstream once: no retry, no failover (that is `core/routing`), except that a request whose field name was refused, before any work, is
   * sent once more by the other name. The answer is pushed to `sink`, whose first method is called only after
   * this has returned.
   */
  generate(call: TextCall, sink: PartSink): TextRun
  /**
   * A cheap request that checks address and key (`kherad doctor`). Returns the upstream's names of its models if it lists all of them.
   * Throws `UpstreamError`.
   */
  ping(signal: AbortSignal): Promise<readonly string[] | undefined>
}

/**
 * Receives an answer as it arrives. Either `done` or `failed` is called, once, and nothing after it. Its methods never throw: the receiver handles
 * its own defects.
 */
export interface PartSink<Trouble = UpstreamError> {
  part(part: AnswerPart): void
  /** All parts of what has arrived so far were delivered: the receiver can now send on what they made. */
  flush(): void
  done(): void
  failed(error: Trouble): void
}

/** An upstream call that is under way. */
export interface TextRun {
  /** True if the model was asked without the reasoning that the turn wants, because earlier reasoning has not come back; known once the call is sent. */
  readonly skipsReasoning?: boolean
  /** Reads nothing more from the upstream until `resume`, because the receiver is behind; parts that were read already may still come. */
  pause(): void
  resume(): void
  /** Ends the call: the sink gets the usage known so far and then, before this returns, `failed` with `aborted`. */
  stop(): void
}

export interface TextCall {
  turn: Turn
  /** The model's name at the upstream. */
  upstreamModel: string
  timeouts: Timeouts
  /** Unique to this attempt; sent as the idempotency key to upstreams that accept one. */
  attemptId: string
  /** How this deployment names the output limit of chat completions; absent: it is guessed. */
  limitName?: LimitName | undefined
  /** `done`: `[DONE]` after text is the whole end of a stream of chat completions, whose finish reason never comes. */
  endMark?: 'done' | undefined
  /** The W3C trace that this call is part of, for providers that are configured to receive it. */
  traceparent?: string | undefined
}

/** The names of the output limit on the wire of chat completions. */
export type LimitName = 'max_tokens' | 'max_completion_tokens'

/** Timeouts, all in milliseconds. */
export interface Timeouts {
  connectMs: number
  firstByteMs: number
  firstTokenMs: number
  idleMs: number
  totalMs: number
}

/** Why an upstream did not answer; routing decides by `fault` and `executed`. */
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
  | 'authentication' // the upstream refused our key or account: for the operator to fix, never the caller's fault
  | 'not_found' // the upstream does not know the model
  | 'cut' // the stream ended before its finish
  | 'malformed' // an answer that does not follow the wire
  | 'aborted' // the caller disconnected
  | 'not_allowed' // the key may no longer pay; `cause` says why, and no request was sent

/** Faults that last until the operator or the vendor fixes something: the key, the account, an address, a name. */
const permanent: ReadonlySet<UpstreamFault> = new Set(['authentication', 'not_found'])

export class UpstreamError extends Error {
  override name = 'UpstreamError'
  readonly fault: UpstreamFault
  /** HTTP status of the upstream, when there was one. */
  readonly status: number | undefined
  /** False only when it is certain that the upstream did no work: no connection, or a refusal before any work. */
  readonly executed: boolean
  readonly retryAfterMs: number | undefined
  /** The upstream's message, at most 500 characters, for the receipt and (for invalid_request) the caller. */
  readonly detail: string | undefined
  /** For the operator alone, with secrets masked: what a caller's receipt must not contain, such as a vendor's message about our key. */
  readonly inside: string | undefined
  readonly param: string | undefined
  /** The model wrote what cannot be passed on, as a caller may make it do: no sign that the deployment is ill. */
  readonly byModel: boolean

  constructor(
    fault: UpstreamFault,
    more: {
      status?: number
      executed?: boolean
      retryAfterMs?: number
      detail?: string
      inside?: string
      param?: string
      byModel?: boolean
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
    this.byModel = more.byModel ?? false
  }

  /** True if a retry, now or later, cannot succeed. */
  get isPermanent(): boolean {
    return permanent.has(this.fault)
  }
}
