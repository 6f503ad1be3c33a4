/** A model that speaks, what it can be asked for, and what its sound costs. */
import type { SoundEncoding } from '#core/turn'
import type { NamedModel } from '../../models.ts'

/** `speech`: one text; `dialogue`: several voices in one sound; `answer`: a spoken answer to a recording. */
export type AudioTask = 'speech' | 'dialogue' | 'answer'

export interface AudioModel extends NamedModel {
  kind: 'audio'
  audio: AudioSettings
  pricing: AudioPricing
}

/** Whether the model reads texts, and does not only answer recordings. */
export const canSpeak = ({ audio }: AudioModel): boolean => audio.tasks.some((task) => task !== 'answer')

/** The settings that the upstream of an audio model supports. */
export interface AudioSettings {
  tasks: AudioTask[]
  /** The voices of the model; the first one speaks where none is named. */
  voices: Voice[]
  /** True: voices that are not listed may be named too, such as cloned ones. */
  takesOtherVoices: boolean
  /** The formats that the upstream makes; others are made here from one of these. */
  formats: SoundEncoding[]
  /** The rate of the upstream's `pcm`, in hertz. */
  rate: number
  takesInstructions: boolean
  /** True: the model reads texts to the letter, and gets instructions and speakers in other fields; false: they stand in the text. */
  isVerbatim: boolean
  /** Absent: the upstream speaks at its own pace only. */
  speed?: { min: number; max: number }
  /** The most characters of one call to the upstream; longer texts are cut at sentences. */
  maxCharacters: number
  /** The most lines of one dialogue that the upstream takes at once. */
  maxTurns: number
  /** The most different voices of one dialogue. */
  maxVoices: number
}

export interface Voice {
  /** The upstream's name for the voice. */
  id: string
  name: string
  gender?: 'female' | 'male' | 'neutral'
  /** ISO 639-1 codes. */
  languages: string[]
}

/** Prices in USD; a call costs the sum of them. */
export interface AudioPricing {
  /** The price of the text that is spoken. */
  perMillionCharacters: number
  /** The price of the sound that is made. */
  perMinute: number
  /** The price of tokens of text and recordings that are read. */
  inputPerMillion: number
  /** The price of tokens of sound and text that are made. */
  outputPerMillion: number
}
