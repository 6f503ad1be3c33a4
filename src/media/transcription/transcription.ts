/**
 * Paid transcription: what a caller wants of a recording (`TranscriptionSpec`), the pieces of it that are sent to a model, and the one transcript
 * that is joined of what was heard in them. Nothing here knows HTTP or a vendor.
 */
import type { Recording, RecordingSource, SoundStream } from '#core/sound'
import type { SpokenSegment, SpokenWord, Timestamps } from '#core/turn'

/** What can be wrong with a request, as its route names it. */
export type TranscriptionSetting =
  | 'file'
  | 'model'
  | 'language'
  | 'prompt'
  | 'keywords'
  | 'temperature'
  | 'timestamps'
  | 'diarize'
  | 'speakers'

export interface TranscriptionSpec {
  /** As the caller wrote it: ISO 639-1, 639-2, 639-3 or BCP 47, such as `fa`, `per`, `fas`, `fa-IR`. Absent: the model hears it. */
  language?: string
  /** What was said before, or how names are spelled. */
  prompt?: string
  keywords?: readonly string[]
  temperature?: number
  /** The least exact times that the answer needs. Where the model says more exact ones by itself, the transcript has them. */
  timestamps: Timestamps
  /** Whether speakers are told apart. */
  diarize?: boolean
  /** How many there are, if that is known; it also tells whether a voice that comes back is a new one. */
  speakers?: number
  /** True: `parts` has text while it is made, from models that stream. From others, and without it, it comes piece by piece. */
  stream?: boolean
  /** False: Persian text stays in the letters that the model wrote. */
  normalize?: boolean
  /** Path of a setting in the caller's request, named in errors. */
  where(setting: TranscriptionSetting): string
}

/** A file that was opened by `app.recordings.open`. Whoever opened it closes it, after `finish`. */
export interface OpenedRecording {
  source: RecordingSource
  recording: Recording
}

/** Sound that still comes, of unknown length. */
export interface LiveSound {
  sound: SoundStream
  /** The hold pays for so many; what comes after them is not read. */
  maxSeconds: number
  /** A pause ends a piece that is so long; default: 30. */
  pieceSeconds?: number
  /** Ends the sound early: what came before is written down. */
  signal?: AbortSignal
}

/** The whole transcript, which is stored. Times are in seconds of the recording. */
export interface Transcript {
  /** Empty where nothing was said. */
  text: string
  /** ISO 639-1, as it was asked for or as the upstream says. */
  language?: string
  seconds: number
  /** In order. Without times of the upstream there is one for each piece that was sent. */
  segments: SpokenSegment[]
  /** Where the upstream says them. */
  words?: SpokenWord[]
  /** `A`, `B` … by first appearance, where they were told apart. */
  speakers?: string[]
  /** Those of `speakers` that may be one of the others: nobody could match them across a cut. */
  unmatchedSpeakers?: string[]
  /** Id of the stored file: `application/json` (see transcript-file.ts). */
  file: string
  /** What it is charged. */
  microcredits: bigint
  tokens: { input: number; output: number }
  /** Calls to the upstream. */
  pieces: number
}

/** What is known of a transcript while it is made. All texts put together are its text, all segments its segments. */
export type TranscriptPart = { kind: 'text'; text: string } | { kind: 'segment'; segment: SpokenSegment }

export { foldPersian } from './fold.ts'
export { heardOf } from './heard.ts'
export { heardTokens } from './heard-tokens.ts'
export { languageOf } from './language.ts'
export {
  type PaidTranscription,
  type PaidTranscriptionOptions,
  startPaidTranscription,
} from './paid-transcription.ts'
export { transcriptionFailures } from './phrases.ts'
export { heardRate, named } from './pieces.ts'
export { maxTokensOf, orderOf, planTranscription, type TranscriptionPlan } from './plan.ts'
