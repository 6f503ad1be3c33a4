/**
 * Paid speech: a caller's request, the orders sent to a model, and the sound made of them in the requested format. A request is a `SpeechSpec`.
 * Nothing here knows HTTP or a vendor.
 */
import type { SoundFormat } from '#core/sound'
import type { AudioQuestion } from '#core/turn'

export type SpeechSetting = 'text' | 'voice' | 'instructions' | 'speed' | 'format' | 'task' | 'turns'

/** A text and its speaker. */
export interface WantedLine {
  text: string
  /** The voice; absent for the model's first one. */
  voice?: string
  instructions?: string
}

export interface SpeechSpec {
  /** One line for speech, two or more for a dialogue; for an answer one, whose text is empty. */
  lines: readonly WantedLine[]
  /** A recording to be answered. */
  question?: AudioQuestion
  format: SoundFormat
  /** The speed; 1 where absent. */
  speed?: number
  /** The bytes for which the answer has room; sound that may become longer is refused. */
  maxBytes: number
  /** The path of a line's setting in the caller's request body, named in validation errors. */
  where(setting: SpeechSetting, line?: number): string
}

export { SoundChannel } from './channel.ts'
export { fitSpeech, layoutOf } from './fit.ts'
export {
  type PaidSpeech,
  type PaidSpeechOptions,
  reserveForSpeech,
  type StoredSpeech,
  startPaidSpeech,
} from './paid-speech.ts'
export { speechFailures } from './phrases.ts'
export { type PlannedOrder, planSpeech, type SpeechPlan } from './plan.ts'
export { type SpeechUsage, speechUsageOf } from './used.ts'
