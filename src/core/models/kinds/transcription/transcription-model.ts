/** A model that writes recordings down, what it can be asked for, and what that costs. */
import type { Timestamps } from '#core/turn'
import type { NamedModel } from '../../models.ts'

/** The formats of files that upstreams take. */
export type RecordedFormat = 'wav' | 'mp3' | 'm4a' | 'webm' | 'ogg' | 'flac' | 'aac'

export interface TranscriptionModel extends NamedModel {
  kind: 'transcription'
  transcription: TranscriptionSettings
  pricing: TranscriptionPricing
}

/** The settings that the upstream of a transcription model supports. */
export interface TranscriptionSettings {
  /** The formats that the model takes as they are; everything else is converted to WAV. */
  formats: RecordedFormat[]
  /** The most seconds of one call; longer recordings are cut at silences. */
  maxSeconds: number
  /** The most bytes of one call. */
  maxBytes: number
  /** The most exact times that the model reports. */
  timestamps: Timestamps
  /** Whether the model tells speakers apart. */
  diarizes: boolean
  /** Whether the model also writes in English what is said in another language. */
  translates: boolean
  /** Whether the text comes in parts while it is made. */
  streams: boolean
  /** Whether the model also takes sound while it is spoken. */
  hearsLive: boolean
  takesPrompt: boolean
  takesKeywords: boolean
  /** Whether sound in which nobody speaks is not sent, since the model makes words up for it. */
  vad: boolean
  /** ISO 639-1 codes of the languages that it takes; absent: any language. */
  languages?: string[]
}

/** Prices in USD; a call costs the sum of them. */
export interface TranscriptionPricing {
  perMinute: number
  /** The seconds that every call to the upstream is billed for at least. */
  minimumSeconds: number
  /** The price of tokens of sound that are read. */
  inputPerMillion: number
  /** The price of tokens of text that are made. */
  outputPerMillion: number
}

/** Whether sound without speech is left out where nothing says so: Whisper, by whatever server, writes words that nobody said. */
export const leavesOutSilence = ({
  id,
  deployments,
}: {
  id: string
  deployments: readonly { provider: string; model: string }[]
}): boolean =>
  /whisper/i.test(id) ||
  deployments.some(({ provider, model }) => provider === 'sandbox' || /whisper/i.test(model))
