/**
 * Paid speech: what a caller asks for (`SpeechSpec`), the orders that are sent to a model, and the sound that is made of them in the format
 * that was asked for. Nothing here knows HTTP or a vendor.
 */
import type { SoundFormat } from '#core/sound'
import type { AudioQuestion } from '#core/turn'

export type SpeechSetting = 'text' | 'voice' | 'instructions' | 'speed' | 'format' | 'task' | 'turns'

/** A text and who speaks it. */
export interface WantedLine {
  text: string
  /** Absent: the model's first voice. */
  voice?: string
  instructions?: string
}

export interface SpeechSpec {
  /** One for speech, two or more for a dialogue; for an answer one, whose text is empty. */
  lines: readonly WantedLine[]
  /** A recording to be answered. */
  question?: AudioQuestion
  format: SoundFormat
  /** 1 where absent. */
  speed?: number
  /** Bytes that the answer has room for; what may become longer is refused. */
  maxBytes: number
  /** Path of a setting of a line in the caller's request body, named in validation errors. */
  where(setting: SpeechSetting, line?: number): string
}

export { SoundChannel } from './channel.ts'
export { fitSpeech, layoutOf } from './fit.ts'
export {
  type PaidSpeech,
  type PaidSpeechOptions,
  roomForSpeech,
  type Spoken,
  startPaidSpeech,
} from './paid-speech.ts'
export { speechFailures } from './phrases.ts'
export { type PlannedOrder, planSpeech, type SpeechPlan } from './plan.ts'
export { type SpeechUse, useOfSpeech } from './used.ts'
