import type { RealtimeEnd, RealtimeSetup } from './realtime.ts'
import type { Timeouts, UpstreamError } from './spec.ts'

/**
 * Calls over WebRTC that an upstream has with its caller directly: their sound never passes this server, and a side connection reports what happens
 * in them.
 */
export interface PassthroughCalls {
  /** Requests the upstream's answer to an offer: no retry, no failover. Throws `UpstreamError`. */
  answer(call: PassthroughOffer): Promise<PassthroughAnswer>
  /** Opens the side connection of a call. Throws `UpstreamError`; after this has returned, the end of the connection comes by `sink.closed`. */
  watch(call: { callId: string; timeouts: Timeouts; signal: AbortSignal }, sink: SideSink): Promise<SideLink>
  /** Ends a call. Resolves when the call is over at the upstream, also where it was over before. Throws `UpstreamError`. */
  hangUp(call: { callId: string; timeouts: Timeouts; signal: AbortSignal }): Promise<void>
}

export interface PassthroughOffer {
  /** The model's name at the upstream. */
  upstreamModel: string
  setup: PassthroughSetup
  /** The caller's offer, in SDP. */
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
  /** The upstream's id of the call: 1 to 200 letters, digits, `-` and `_`. */
  callId: string
}

/** The side connection of a call. All methods but `close` are ignored once it is over. */
export interface SideLink {
  /** Restores the limits of the setup and its transcription. */
  restore(setup: PassthroughSetup): void
  cancel(responseId: string): void
  /** Idempotent, never rejects. */
  close(): Promise<void>
}

/** Receives what happens in a call. Its methods never throw. Nothing is called after `closed`, or once `close` was called. */
export interface SideSink {
  /** The caller or the model did something, which shows that the caller is there. */
  active(): void
  /** The caller began to speak, or stopped. */
  speaking(isSpeaking: boolean): void
  /** Sound of the model is on its way to the caller, or no longer. */
  playing(isPlaying: boolean): void
  /** A response is being made; ids are those of the upstream. The response may have limits of its own. */
  began(responseId: string, maxOutputTokens: number | 'inf' | undefined): void
  finished(responseId: string, end: RealtimeEnd): void
  /** The seconds of the caller's speech that were transcribed; undefined where nobody knows how many. */
  transcribed(seconds: number | undefined): void
  /** The settings of the session from now on. */
  updated(settings: SideSettings): void
  /** `isOver`: the upstream says that the call is over; otherwise the connection broke. */
  closed(isOver: boolean, error: UpstreamError): void
}

/** The reported settings; undefined where the upstream does not say. */
export interface SideSettings {
  model: string | undefined
  instructions: string | undefined
  tools: readonly unknown[] | undefined
  maxOutputTokens: number | 'inf' | undefined
  /** Tokens of the conversation beyond which older turns are left out; `inf`: as many as the model takes. */
  maxInputTokens: number | 'inf' | undefined
  /** The model that transcribes what the caller says; null: none does. */
  transcriptionModel: string | null | undefined
}
