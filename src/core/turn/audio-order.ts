import type { Media } from './message.ts'

/** How sound is encoded. `pcm` is signed 16-bit little-endian without a header; `opus` is Ogg Opus, `aac` is ADTS. */
export type SoundEncoding = 'mp3' | 'wav' | 'pcm' | 'opus' | 'aac' | 'flac'

/** An encoding, with the properties that its bytes do not state themselves. */
export interface SoundFormat {
  encoding: SoundEncoding
  /** The rate in hertz; always present for `pcm`. */
  rate?: number
  /** 1 where absent. */
  channels?: number
  /** Who made the sound, if not a model: a note in the files that are made of it. */
  origin?: string
}

/** A text and who speaks it. */
export interface SpokenLine {
  text: string
  /** The upstream's id of the voice. */
  voice: string
  /** How to speak it; only for models that take instructions. */
  instructions?: string
}

/** A recording that is answered. */
export interface AudioQuestion {
  /** The recording; always with data, media type and duration. */
  recording: Media
  /** What to do with the recording, beside what it says. */
  text?: string
}

/** An audio request to an upstream. Settings that the model does not support are absent and not sent. */
export interface AudioOrder {
  /**
   * One line for speech; two or more for a dialogue, spoken as one sound; for an answer one line with an empty text, for its voice and instructions.
   */
  lines: readonly SpokenLine[]
  /** Present for an answer to a recording. */
  question?: AudioQuestion
  /** True: the model reads texts to the letter, so that instructions and speakers go into other fields. */
  isVerbatim?: true
  /** The format that is requested of the upstream. */
  format: SoundFormat
  /** The pace; 1 is the usual one. */
  speed?: number
  /** The most tokens of an answer, whose length nothing else bounds: the hold pays for this many. */
  maxOutputTokens?: number
  sink: SoundSink
}

/** Receives sound as it arrives. */
export interface SoundSink {
  /** Called once, before the first bytes, with their format, which may be another than the requested one. */
  begin(format: SoundFormat): void
  /** Takes the bytes of one file of that format, in order. The upstream is not read on until the promise resolves. */
  write(bytes: Uint8Array): void | Promise<void>
}
