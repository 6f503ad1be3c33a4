import type { SpokenWord } from '#core/turn'
import type { Timeouts, UpstreamError } from './spec.ts'

/** The interface of a provider room for live transcription: sound goes in while it is spoken, words come out. */
export interface LiveTranscriber {
  /**
   * Opens one connection: no retry, no failover. Throws `UpstreamError` for every failure; `executed` is always false, since the upstream has heard
   * nothing yet. After this has returned, failures come by `sink.failed`.
   */
  open(call: LiveCall, sink: LiveSink): Promise<LiveLink>
}

export interface LiveCall {
  /** The model's name at the upstream. */
  upstreamModel: string
  /** ISO 639-1; absent: the upstream detects the language. */
  language?: string | undefined
  /** A description of the sound; upstreams whose wire has no field for it do without. */
  prompt?: string | undefined
  /** Words that may occur, such as names. */
  keywords?: readonly string[] | undefined
  /** Aborting it cuts the connection. */
  signal: AbortSignal
  /** `connectMs` and `firstByteMs` of the connection, `firstTokenMs` of each `commit`; the length of a link is bounded by its owner alone. */
  timeouts: Timeouts
  /** Called with the upstream's own id of the connection, where it says one. */
  onUpstreamId?: ((id: string) => void) | undefined
}

/** Receives the words of a link. Its methods never throw, and none is called after `failed` or once `close` was called. */
export interface LiveSink {
  /** All that was understood since the last commit, in place of the earlier text. Never empty. */
  partial(text: string): void
  /** The connection is over; commits that are open reject with the same error. At most once. */
  failed(error: UpstreamError): void
}

export interface LiveLink {
  /**
   * Takes sound as it is spoken: 16 kHz, mono, 16 bit, little-endian. The sound is copied or sent before this returns. Sound that an upstream does
   * not take in time ends the link (`failed`).
   */
  write(pcm: Uint8Array): void
  /**
   * Ends an utterance: resolves with the final words of all sound since the last commit. One at a time. Rejects with `UpstreamError`. Costs nothing
   * where nothing was written.
   */
  commit(): Promise<LiveTranscript>
  /** Ends the connection; idempotent, never rejects. */
  close(): Promise<LiveUsage>
}

/** The transcript of one utterance. */
export interface LiveTranscript {
  /** Empty where nothing was said. */
  text: string
  /** ISO 639-1, if the upstream says it. */
  language?: string
  /** The words in order, in seconds from the first sound of the link, where the upstream reports them. */
  words?: SpokenWord[]
}

/** What a link costs. */
export interface LiveUsage {
  /** Seconds of the sound that was written: no upstream can bill more. */
  seconds: number
  /** The seconds that the upstream claims, never more than `seconds`; absent where it claims nothing. */
  claimedSeconds?: number
  /** Tokens that the upstream claims, on wires that count by tokens; a figure that some utterance lacks is absent. */
  tokens?: { input?: number | undefined; output?: number | undefined }
}
