/** How exactly an answer says when something was said. */
export type Timestamps = 'none' | 'segment' | 'word'

/** A recording to be written down by one call. Settings that the model does not support are absent and not sent. */
export interface TranscriptionOrder {
  recording: RecordedSound
  /** ISO 639-1; absent: the model hears it. */
  language?: string
  /** What was said before, or how names are spelled. */
  prompt?: string
  /** Words that are likely to be said. */
  keywords?: readonly string[]
  temperature?: number
  timestamps: Timestamps
  /** Whether speakers are told apart. */
  diarize?: boolean
  /** How many speakers there are, if that is known. */
  speakers?: number
  /** At most as many tokens of text are made: what is held pays for that many. */
  maxOutputTokens?: number
  /** Called with pieces of text as they come, where the upstream streams; the whole text is in the result. */
  onText?: (text: string) => void
}

/** A whole file of sound in a format that the upstream takes. */
export interface RecordedSound {
  bytes: SoundBytes
  /** By its bytes, such as `audio/wav`. */
  mediaType: string
  /** With the extension of that type, since some upstreams go by it. */
  name: string
  seconds: number
}

/** In memory; or on the disk, whose bytes are read as they are sent, as often as they are. */
export type SoundBytes = Uint8Array | (AsyncIterable<Uint8Array> & { readonly byteLength: number })

/** A stretch of speech; times in seconds from the beginning of the recording. */
export interface SpokenSegment {
  start: number
  end: number
  text: string
  /** The upstream's own name of who speaks, if it tells them apart. */
  speaker?: string
  /** What whisper's servers say of a segment beside (OpenAI's verbose_json). */
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
