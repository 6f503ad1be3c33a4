import type { Media } from './message.ts'

/** How sound is encoded. `pcm` is signed 16-bit little-endian without a header; `opus` is Ogg Opus, `aac` is ADTS. */
export type SoundEncoding = 'mp3' | 'wav' | 'pcm' | 'opus' | 'aac' | 'flac'

/** An encoding with what its bytes do not say by themselves. */
export interface SoundFormat {
  encoding: SoundEncoding
  /** Hertz; always present for `pcm`. */
  rate?: number
  /** 1 where absent. */
  channels?: number
  /** Who made it, if not a model: a note in the files that are made of it. */
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
  /** What to do with it, beside what it says. */
  text?: string
}

/** An audio request to an upstream. Settings that the model does not support are absent and not sent. */
export interface AudioOrder {
  /** One for speech; two or more for a dialogue, spoken as one sound; for an answer one, whose text is empty: its voice and instructions. */
  lines: readonly SpokenLine[]
  /** Present for an answer to a recording. */
  question?: AudioQuestion
  /** The model reads texts to the letter: what is no text to be read goes beside it. */
  isVerbatim?: true
  /** What the upstream is asked for. */
  format: SoundFormat
  /** 1 is the usual pace. */
  speed?: number
  /** Of an answer, whose length nothing else bounds: what is held pays for that many. */
  maxOutputTokens?: number
  sink: SoundSink
}

/** Receives sound as it arrives. */
export interface SoundSink {
  /** Called once, before the first bytes: what they are, which may be another format than the one asked for. */
  begin(format: SoundFormat): void
  /** Bytes of one file of that format, in order. The upstream is not read on until the promise resolves. */
  write(bytes: Uint8Array): void | Promise<void>
}
