/** A model that writes recordings down, what it can be asked for, and what that costs. */
import type { Timestamps } from '#core/turn'
import type { NamedModel } from '../../models.ts'

/** Files that upstreams take. */
export type RecordedFormat = 'wav' | 'mp3' | 'm4a' | 'webm' | 'ogg' | 'flac' | 'aac'

export interface TranscriptionModel extends NamedModel {
  kind: 'transcription'
  transcription: TranscriptionSettings
  pricing: TranscriptionPricing
}

/** What the upstream of a transcription model can be asked for. */
export interface TranscriptionSettings {
  /** Files that it takes as they are; everything else is converted to WAV. */
  formats: RecordedFormat[]
  /** Of one call; longer recordings are cut at silences. */
  maxSeconds: number
  /** Bytes of one call. */
  maxBytes: number
  /** The most exact times that it says. */
  timestamps: Timestamps
  /** Whether it tells speakers apart. */
  diarizes: boolean
  /** Whether text comes while it is made. */
  streams: boolean
  /** Whether it hears sound while it is spoken, too. */
  hearsLive: boolean
  takesPrompt: boolean
  takesKeywords: boolean
  /** ISO 639-1; absent: whatever is said. */
  languages?: string[]
}

/** USD; a call costs all of them together. */
export interface TranscriptionPricing {
  perMinute: number
  /** What every call to the upstream is billed for at least. */
  minimumSeconds: number
  /** Tokens of sound that are read. */
  inputPerMillion: number
  /** Tokens of text that are made. */
  outputPerMillion: number
}
