import type { SoundBytes } from '#core/turn'
import type { Requester } from '#platform/confined'
import type { Levels } from './levels.ts'
import type { Sound } from './pcm.ts'

/** A whole file: in memory, or on this machine's disk, such as one of the spool. `bytes` is its length. */
export type RecordingSource = Uint8Array | { path: string; bytes: number }

/** What a file of sound is, by its bytes alone, whatever its name and its sender say. */
export interface MeasuredRecording {
  /** By its tracks, not its brand: an MP4 or WebM without pictures is `audio/mp4` or `audio/webm`, with pictures `video/…`. */
  mediaType: string
  /** What its first track of sound is coded as: `opus`, `vorbis`, `mp3`, `aac`, `flac` or `pcm`. */
  codec: string
  /** What is heard, to the sample; padding and what an editor cut off are not counted. */
  seconds: number
  /**
   * What everybody hears who plays every packet, also of further tracks: more than `seconds` in a file that hides a part of itself, and infinite where more
   * follows that is not read here. Where the two
   * differ by much, send a conversion, not the file.
   */
  packetSeconds: number
  /** In Hz, and how many: as recorded. */
  rate: number
  channels: number
  /** Whether `sound`, `wav` and `levels` work here. What cannot be decoded is cut by `packets`. */
  isDecodable: boolean
  hasVideo: boolean
}

/** A part of a recording in seconds from its beginning; absent, from its beginning or to its end. What lies outside is left out. */
export interface TimeSpan {
  from?: number
  to?: number
}

/** Whole packets of a recording as a file of their own. `start` and `end` are in seconds of the recording, `start` not after what was asked. */
export interface Packets {
  bytes: Uint8Array
  mediaType: string
  start: number
  end: number
}

export interface OpenOptions {
  /** Recordings that are longer are `too_long`. */
  maxSeconds: number
}

/**
 * One recording that was opened and measured. It is decoded once at most, at the first use of its sound, and what was decoded stands on the disk where it
 * is long; closing deletes that. Any number of spans may be read at once.
 */
export interface Recording extends AsyncDisposable {
  readonly measured: MeasuredRecording
  /** One channel at 16 kHz. Throws `SoundError`; `unsupported` where it is not decodable. */
  sound(span?: TimeSpan): AsyncGenerator<Sound>
  /**
   * A span as WAV of 16 kHz, one channel, 16 bits; what is on the disk is read from there as it is wanted, until the recording is closed. Throws as `sound`
   * does.
   */
  wav(span?: TimeSpan): Promise<{ bytes: SoundBytes; seconds: number }>
  /** How loud it is, every 10 ms. Throws as `sound` does. */
  levels(): Promise<Levels>
  /** A span cut by packets, without decoding. Only for AAC: `undefined` for others. */
  packets(span: TimeSpan): Promise<Packets | undefined>
}

export type OpenRecording = (
  source: RecordingSource,
  requester: Requester,
  options: OpenOptions,
) => Promise<Recording>
