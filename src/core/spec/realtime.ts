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
   * Opens one session: no retry, no failover. Throws `UpstreamError` for every failure, always with `executed: false`, since nothing was requested
   * yet. After this has returned, failures come by `sink.failed`.
   */
  connect(call: RealtimeCall, sink: RealtimeSink): Promise<RealtimeLink>
  /** Calls over WebRTC, where the provider's wire has them. */
  readonly passthrough?: PassthroughCalls
}

export interface RealtimeCall {
  /** The model's name at the upstream. */
  upstreamModel: string
  setup: RealtimeSetup
  /** `RealtimeLink.resumption` of a session that was closed: the new session goes on where that one stopped. */
  resumption?: string | undefined
  /** Aborting it cuts the connection. */
  signal: AbortSignal
  /**
   * `connectMs` and `firstByteMs` of the connection; `firstTokenMs` from `respond` to the first sign of an answer, `idleMs` within an answer,
   * `totalMs` of an answer. The length of a session is bounded by its owner alone.
   */
  timeouts: Timeouts
  /** Called with the upstream's own id of the session, where it says one. */
  onUpstreamId?: ((id: string) => void) | undefined
}

export interface RealtimeSetup {
  instructions: string
  voice?: string | undefined
  /** The pace of the speech, 0.25 to 1.5; upstreams without a pace speak at 1. */
  speed?: number | undefined
  speaks: boolean
  tools: readonly { name: string; description: string; parameters: Record<string, unknown> }[]
  toolChoice: 'auto' | 'none' | 'required' | { name: string }
  maxOutputTokens: number
  /** The most input tokens of a response; older turns are left out. An upstream that has no field for this uses a window of its own. */
  maxInputTokens: number
  /** How the upstream also transcribes what the user says, by a model of its own; absent: no transcript is requested. */
  transcription?: { model?: string | undefined; language?: string | undefined; prompt?: string | undefined }
}

/** One session. All methods but `close` are ignored once the session has failed or was closed. */
export interface RealtimeLink {
  /** What another session needs to go on where this one is now; undefined where the upstream cannot resume, or not now. */
  readonly resumption: string | undefined
  /** Sound of committed turns that is sent only with the next answer: another session has to be given this sound. Read it before `close`. */
  readonly unsent?: readonly Uint8Array[]
  /** Changes the setup for all further responses; where an upstream takes a setup at the start only, `sink.leaving` requests another session. */
  update(setup: RealtimeSetup): void
  /** Takes sound of the user's turn: `inputRate`, mono, 16 bit, little-endian. It costs nothing before `respond`. */
  write(pcm: Uint8Array): void
  /** Forgets the sound that was written since the last turn. */
  discard(): void
  /** Makes the sound that was written the user's turn. `itemId` is known once the upstream says it (`sink.committed`). */
  commit(): void
  /** Adds a turn in words, a result of a function, or what was said before this session. */
  add(item: RealtimeInput): void
  /** Removes an item from what the model knows; ignored where an upstream cannot do that. */
  remove(itemId: string): void
  /** Requests an answer to all that came so far, which costs from here on. One at a time: call it only after `finished` of the last answer. */
  respond(): void
  /** Cancels the answer that is under way; `finished` comes nevertheless, with what the answer cost. */
  cancel(): void
  /** Reports that only `playedMs` of an item were heard; the rest is removed from what the model knows, where an upstream can do that. */
  truncate(itemId: string, playedMs: number): void
  /** Ends the session; idempotent, never rejects. */
  close(): Promise<void>
}

export type RealtimeInput =
  | { type: 'message'; id?: string; role: 'user' | 'assistant' | 'system'; text: string }
  | { type: 'image'; id?: string; dataUrl: string }
  | { type: 'function_call'; id?: string; callId: string; name: string; arguments: string }
  | { type: 'function_result'; id?: string; callId: string; name: string; output: string }

/** Receives the events of a session. Its methods never throw. Nothing is called after `failed`, or once `close` was called. */
export interface RealtimeSink {
  /** The sound that was committed is an item of the upstream. */
  committed(itemId: string): void
  /** A transcript of what the user said, in order of arrival; the last one of an item is final and whole, and may come after the answer. */
  userTranscript(transcript: { itemId: string; text: string; isFinal: boolean }): void
  /** An item of the answer has begun. */
  began(itemId: string): void
  /** Sound of the answer: 24 kHz, mono, 16 bit, little-endian. */
  sound(itemId: string, pcm: Uint8Array): void
  /** Further words; `spoken` is true for words of the sound, and false for words without sound. */
  words(itemId: string, delta: string, spoken: boolean): void
  /** The model calls a function; its result is returned by `add` and another `respond`. */
  functionCall(call: { itemId: string; callId: string; name: string; arguments: string }): void
  /** The answer is over. */
  finished(end: RealtimeEnd): void
  /** The session must be opened again before the next answer: the upstream will close it, or takes a changed setup at the start only. */
  leaving(): void
  failed(error: UpstreamError): void
}

export interface RealtimeEnd {
  status: 'completed' | 'cancelled' | 'incomplete' | 'failed'
  /** The counts that the upstream claims; absent where it reports none: then the worst case is paid. */
  usage?: RealtimeUsage
  /** True where the upstream names something that it has made: then a count of zero is not believed. */
  hasOutput?: boolean
  /** The error of a response that failed; the session goes on. */
  error?: UpstreamError
}

/** Tokens, each counted in one of these only. All are claims of the upstream; the payer bounds them by the worst case. */
export interface RealtimeUsage {
  textInput: number
  audioInput: number
  imageInput: number
  cachedTextInput: number
  cachedAudioInput: number
  textOutput: number
  audioOutput: number
}
