import type { RealtimeEnd, RealtimeSetup } from './realtime.ts'
import type { Timeouts, UpstreamError } from './spec.ts'

/** Calls over WebRTC that an upstream has with its caller directly: their sound never comes here, a side connection tells what happens in them. */
export interface PassthroughCalls {
  /** Has the upstream answer an offer: no retry, no failover. Throws `UpstreamError`. */
  answer(call: PassthroughOffer): Promise<PassthroughAnswer>
  /** Opens the side connection of a call. Throws `UpstreamError`; after it has returned, its end comes by `sink.closed`. */
  watch(call: { callId: string; timeouts: Timeouts; signal: AbortSignal }, sink: SideSink): Promise<SideLink>
  /** Resolves when the call is over there, where it was over before, too. Throws `UpstreamError`. */
  hangUp(call: { callId: string; timeouts: Timeouts; signal: AbortSignal }): Promise<void>
}

export interface PassthroughOffer {
  /** The model's name at the upstream. */
  upstreamModel: string
  setup: PassthroughSetup
  /** SDP. */
  offer: string
  timeouts: Timeouts
  signal: AbortSignal
}

export interface PassthroughSetup extends RealtimeSetup {
  /** Null: the caller says when a turn is over. */
  turnDetection: {
    type: 'semantic_vad' | 'server_vad'
    silenceMs: number | undefined
    prefixMs: number
    threshold: number
    createResponse: boolean
    interruptResponse: boolean
    idleMs: number | undefined
  } | null
}

export interface PassthroughAnswer {
  sdp: string
  /** Of the upstream: 1 to 200 letters, digits, `-` and `_`. */
  callId: string
}

/** All methods but `close` are ignored once it is over. */
export interface SideLink {
  /** Has the limits of the setup and its transcription hold again. */
  restore(setup: PassthroughSetup): void
  cancel(responseId: string): void
  /** Idempotent, never rejects. */
  close(): Promise<void>
}

/** Its methods never throw. Nothing is called after `closed`, or once `close` was called. */
export interface SideSink {
  /** Something happened that the caller or the model did: the caller is there. */
  active(): void
  /** The caller began to speak, or stopped. */
  speaking(isSpeaking: boolean): void
  /** Sound of the model is on its way to the caller, or no longer. */
  playing(isPlaying: boolean): void
  /** A response is being made; ids are of the upstream. It may have limits of its own. */
  began(responseId: string, maxOutputTokens: number | 'inf' | undefined): void
  finished(responseId: string, end: RealtimeEnd): void
  /** So much of what the caller said was written down; undefined where nobody knows how much. */
  transcribed(seconds: number | undefined): void
  /** What the session is set to from now on. */
  updated(settings: SideSettings): void
  /** `isOver`: the upstream says that the call is over; otherwise the connection broke. */
  closed(isOver: boolean, error: UpstreamError): void
}

/** Undefined is what it does not say. */
export interface SideSettings {
  model: string | undefined
  instructions: string | undefined
  tools: readonly unknown[] | undefined
  maxOutputTokens: number | 'inf' | undefined
  /** Tokens of the conversation beyond which older turns are left out; `inf`: as many as the model takes. */
  maxInputTokens: number | 'inf' | undefined
  /** Which model writes down what the caller says; null: none does. */
  transcriptionModel: string | null | undefined
}
