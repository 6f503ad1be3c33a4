import type { PassthroughCalls } from './passthrough.ts'
import type { Timeouts, UpstreamError } from './spec.ts'

/**
 * The interface of a provider room for models that hear and speak by themselves. The upstream decides nothing: it answers when `respond` is
 * called and not before, so that each response can be paid for beforehand.
 */
export interface RealtimeProvider {
  /** Rate of the sound that its links take, in hertz. */
  readonly inputRate: 16_000 | 24_000
  /**
   * Opens one session: no retry, no failover. Throws `UpstreamError` for every failure, always with `executed: false`, for nothing was
   * asked. After it has returned failures come by `sink.failed`.
   */
  connect(call: RealtimeCall, sink: RealtimeSink): Promise<RealtimeLink>
  /** Where its wire has them. */
  readonly passthrough?: PassthroughCalls
}

export interface RealtimeCall {
  /** The model's name at the upstream. */
  upstreamModel: string
  setup: RealtimeSetup
  /** `RealtimeLink.resumption` of a session that was closed: this one goes on where that one stopped. */
  resumption?: string | undefined
  /** Aborting it cuts the connection. */
  signal: AbortSignal
  /**
   * `connectMs` and `firstByteMs` of the connection; `firstTokenMs` from `respond` to the first sign of an answer, `idleMs` within one, `totalMs` of
   * one. The length of a session is bounded by its owner alone.
   */
  timeouts: Timeouts
  /** Called with the upstream's own id of the session, where it says one. */
  onUpstreamId?: ((id: string) => void) | undefined
}

export interface RealtimeSetup {
  instructions: string
  voice?: string | undefined
  /** 0.25 to 1.5; upstreams without it speak at 1. */
  speed?: number | undefined
  speaks: boolean
  tools: readonly { name: string; description: string; parameters: Record<string, unknown> }[]
  toolChoice: 'auto' | 'none' | 'required' | { name: string }
  maxOutputTokens: number
  /** Input that a response may take at most; older turns are left out. Where an upstream cannot be told, it has a window of its own. */
  maxInputTokens: number
  /** Also write down what the user says. The model is that of the upstream; absent: no transcript is asked for. */
  transcription?: { model?: string | undefined; language?: string | undefined; prompt?: string | undefined }
}

/** One session. All methods but `close` are ignored once the session has failed or was closed. */
export interface RealtimeLink {
  /** What a further session needs to go on where this one is now; undefined where the upstream cannot, or not now. */
  readonly resumption: string | undefined
  /** Sound of committed turns that goes out with the next answer only: another session has to be given it. Read it before `close`. */
  readonly unsent?: readonly Uint8Array[]
  /** For all further responses; where an upstream takes it at the start only, `sink.leaving` asks for another session. */
  update(setup: RealtimeSetup): void
  /** Sound of the user's turn: `inputRate`, mono, 16 bit, little-endian. It costs nothing before `respond`. */
  write(pcm: Uint8Array): void
  /** Forgets the sound that was written since the last turn. */
  discard(): void
  /** Sound that was written becomes the user's turn. `itemId` is known once the upstream says it (`sink.committed`). */
  commit(): void
  /** A turn in words, a result of a function, or what was said before this session. */
  add(item: RealtimeInput): void
  /** Takes an item out of what the model knows; ignored where an upstream cannot. */
  remove(itemId: string): void
  /** Has an answer made of all that came so far: from here on it costs. One at a time: not before `finished` of the last one. */
  respond(): void
  /** The answer that is under way is not wanted; `finished` comes nevertheless, with what it cost. */
  cancel(): void
  /** Only so much of an item was heard; what follows is taken out of what the model knows, where an upstream can. */
  truncate(itemId: string, playedMs: number): void
  /** Ends the session; idempotent, never rejects. */
  close(): Promise<void>
}

export type RealtimeInput =
  | { type: 'message'; id?: string; role: 'user' | 'assistant' | 'system'; text: string }
  | { type: 'image'; id?: string; dataUrl: string }
  | { type: 'function_call'; id?: string; callId: string; name: string; arguments: string }
  | { type: 'function_result'; id?: string; callId: string; name: string; output: string }

/** Its methods never throw. Nothing is called after `failed`, or once `close` was called. */
export interface RealtimeSink {
  /** The sound that was committed is an item of the upstream. */
  committed(itemId: string): void
  /** What the user said, in order of arrival; the last one of an item is final and whole. It may come after the answer. */
  heard(transcript: { itemId: string; text: string; isFinal: boolean }): void
  /** An item of the answer has begun. */
  began(itemId: string): void
  /** Sound of the answer: 24 kHz, mono, 16 bit, little-endian. */
  sound(itemId: string, pcm: Uint8Array): void
  /** Further words: `spoken` are those of the sound, the others have no sound. */
  words(itemId: string, delta: string, spoken: boolean): void
  /** The model asks for a function; the answer to it is an `add` and another `respond`. */
  functionCall(call: { itemId: string; callId: string; name: string; arguments: string }): void
  /** The answer is over. */
  finished(end: RealtimeEnd): void
  /** The session must be opened again before the next answer: the upstream will close it, or takes a changed setup at the start only. */
  leaving(): void
  failed(error: UpstreamError): void
}

export interface RealtimeEnd {
  status: 'completed' | 'cancelled' | 'incomplete' | 'failed'
  /** What it claims to have counted; absent where it says nothing: then the worst case was paid. */
  usage?: RealtimeUsage
  /** True where it names something that it has made: then zero is no count. */
  hasOutput?: boolean
  /** Of one that failed; the session goes on. */
  error?: UpstreamError
}

/** Tokens, each counted in one of these only. All are claims of the upstream; whoever pays holds them against the worst case. */
export interface RealtimeUsage {
  textInput: number
  audioInput: number
  imageInput: number
  cachedTextInput: number
  cachedAudioInput: number
  textOutput: number
  audioOutput: number
}
