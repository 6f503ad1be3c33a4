/** How exactly a transcript reports when something was said. */
export type Timestamps = 'none' | 'segment' | 'word'

/** A recording to be written down by one call. Settings that the model does not support are absent and not sent. */
export interface TranscriptionOrder {
  recording: RecordedSound
  /** True: what is said is written in English, whatever language it is in. */
  translate?: true
  /** ISO 639-1; absent: the model detects the language. */
  language?: string
  /** A prompt with what was said before, or how names are spelled. */
  prompt?: string
  /** Words that are likely to be said. */
  keywords?: readonly string[]
  temperature?: number
  timestamps: Timestamps
  /** Whether speakers are told apart. */
  diarize?: boolean
  /** How many speakers there are, if that is known. */
  speakers?: number
  /** The most tokens of text that are made: the hold pays for this many. */
  maxOutputTokens?: number
  /** Called with pieces of text as they come, where the upstream streams; the whole text is in the result. */
  onText?: (text: string) => void
}

/** A whole file of sound in a format that the upstream takes. */
export interface RecordedSound {
  bytes: SoundBytes
  /** The media type by the bytes, such as `audio/wav`. */
  mediaType: string
  /** The name of the file, with the extension of its type, since some upstreams go by it. */
  name: string
  seconds: number
}

/** Bytes in memory; or bytes on the disk, which are read while they are sent, and again each time they are sent. */
export type SoundBytes = Uint8Array | (AsyncIterable<Uint8Array> & { readonly byteLength: number })

/** A stretch of speech; times in seconds from the beginning of the recording. */
export interface SpokenSegment {
  start: number
  end: number
  text: string
  /** The upstream's own name of the speaker, if it tells speakers apart. */
  speaker?: string
  /** Further details of a segment that whisper's servers report (OpenAI's verbose_json). */
  details?: SegmentDetails
}

export interface SegmentDetails {
  tokens?: readonly number[]
  temperature?: number
  avg_logprob?: number
  compression_ratio?: number
  no_speech_prob?: number
  seek?: number
}

export interface SpokenWord {
  start: number
  end: number
  word: string
  speaker?: string
}
