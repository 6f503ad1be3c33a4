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

/** What the upstream of an audio model can be asked for. */
export interface AudioSettings {
  tasks: AudioTask[]
  /** The first one speaks where none is named. */
  voices: Voice[]
  /** True: voices that are not listed may be named too, such as cloned ones. */
  takesOtherVoices: boolean
  /** Formats that the upstream makes; others are made here from one of these. */
  formats: SoundEncoding[]
  /** Hertz of the upstream's `pcm`. */
  rate: number
  takesInstructions: boolean
  /** True: it reads texts to the letter, and is told instructions and speakers beside them; false: they stand in the text. */
  isVerbatim: boolean
  /** Absent: the upstream speaks at its own pace only. */
  speed?: { min: number; max: number }
  /** Of one call to the upstream; longer texts are cut at sentences. */
  maxCharacters: number
  /** Lines of one dialogue that the upstream takes at once. */
  maxTurns: number
  /** Different voices of one dialogue. */
  maxVoices: number
}

export interface Voice {
  /** As the upstream names it. */
  id: string
  name: string
  gender?: 'female' | 'male' | 'neutral'
  /** ISO 639-1. */
  languages: string[]
}

/** USD; a call costs all of them together. */
export interface AudioPricing {
  /** Of the text that is spoken. */
  perMillionCharacters: number
  /** Of the sound that is made. */
  perMinute: number
  /** Tokens of text and recordings that are read. */
  inputPerMillion: number
  /** Tokens of sound and text that are made. */
  outputPerMillion: number
}
