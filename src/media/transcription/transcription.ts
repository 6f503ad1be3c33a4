/**
 * Paid transcription: a recording is cut into pieces, which are sent to a model and joined into one transcript (docs/decisions/media/transcripts.md).
 * A caller's request is a `TranscriptionSpec`. Nothing here knows HTTP or a vendor.
 */
import type { Recording, RecordingSource, SoundStream } from '#core/sound'
import type { SpokenSegment, SpokenWord, Timestamps } from '#core/turn'

/** The part of a request that can be wrong, by which its route finds the name of the field. */
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
  /** True: what is said is written in English. The language that is spoken is not asked for. */
  translate?: true
  /** The language as the caller wrote it: ISO 639-1, 639-2, 639-3 or BCP 47, such as `fa`, `per`, `fas`, `fa-IR`. Absent: the model detects it. */
  language?: string
  /** Text that was said before, or the spelling of names. */
  prompt?: string
  keywords?: readonly string[]
  temperature?: number
  /** The least exact times that the answer needs. Where the model gives more exact ones by itself, the transcript has them. */
  timestamps: Timestamps
  /** Whether speakers are told apart. */
  diarize?: boolean
  /** The number of speakers, if it is known; it also decides whether a returning voice may be a new one. */
  speakers?: number
  /** True: `parts` has text while it is made, from models that stream. Otherwise, and from other models, it comes piece by piece. */
  stream?: boolean
  /** False: Persian text keeps the letters that the model wrote. */
  normalize?: boolean
  /** The path of a setting in the caller's request, named in errors. */
  where(setting: TranscriptionSetting): string
}

/** A file that was opened by `app.recordings.open`. The code that opened it closes it, after `finish`. */
export interface OpenedRecording {
  source: RecordingSource
  recording: Recording
}

/** Live sound, of unknown length. */
export interface LiveSound {
  sound: SoundStream
  /** The seconds that the hold pays for; later sound is not read. */
  maxSeconds: number
  /** The seconds after which a pause ends a piece; default: 30. */
  pieceSeconds?: number
  /** Ends the sound early: the sound before it is transcribed. */
  signal?: AbortSignal
}

/** The whole transcript, which is stored. Times are in seconds of the recording. */
export interface Transcript {
  /** Empty where nobody spoke. */
  text: string
  /** ISO 639-1, as requested or as the upstream reports. */
  language?: string
  seconds: number
  /** The segments in order. Where the upstream gives no times, there is one for each piece that was sent. */
  segments: SpokenSegment[]
  /** The words, where the upstream gives them. */
  words?: SpokenWord[]
  /** The speakers `A`, `B` … by first appearance, where they were told apart. */
  speakers?: string[]
  /** The labels of `speakers` whose speaker may be one of the others, since no match was possible across a cut. */
  unmatchedSpeakers?: string[]
  /** The id of the stored file: `application/json` (see transcript-file.ts). */
  file: string
  /** The charge. */
  microcredits: bigint
  tokens: { input: number; output: number }
  /** The number of calls to the upstream. */
  pieces: number
}

/** A part of a transcript while it is made. All texts joined are the text, all segments its segments. */
export type TranscriptPart = { kind: 'text'; text: string } | { kind: 'segment'; segment: SpokenSegment }

export { foldPersian } from './fold.ts'
export { checkTranscript } from './heard.ts'
export { paidTokensOf } from './heard-tokens.ts'
export { languageOf, namedLanguage } from './language.ts'
export {
  type PaidTranscription,
  type PaidTranscriptionOptions,
  startPaidTranscription,
} from './paid-transcription.ts'
export { transcriptionFailures } from './phrases.ts'
export { namedRecording, speechSampleRate } from './pieces.ts'
export { maxTokensOf, orderOf, planTranscription, type TranscriptionPlan } from './plan.ts'
