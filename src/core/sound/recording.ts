import type { SoundBytes } from '#core/turn'
import type { Requester } from '#platform/confined'
import type { Levels } from './levels.ts'
import type { Sound } from './pcm.ts'

/** A whole file: in memory, or on this machine's disk, such as one of the spool. `bytes` is its length. */
export type RecordingSource = Uint8Array | { path: string; bytes: number }

/** What a file of sound is, by its bytes alone, whatever its name and its sender say. */
export interface MeasuredRecording {
  /** The media type by the tracks, not by the brand: an MP4 or WebM without pictures is `audio/mp4` or `audio/webm`, with pictures `video/…`. */
  mediaType: string
  /**
   * The codec of the first track of sound: `opus`, `vorbis`, `mp3`, `aac`, `flac` or `pcm`; of what ffmpeg alone reads, `alac`, `aiff`, `caf`, `wma`
   * or `amr`.
   */
  codec: string
  /** The seconds that are heard, exact to the sample; padding and what an editor cut off are not counted. */
  seconds: number
  /**
   * The seconds of every packet, also of further tracks: more than `seconds` in a file that hides a part of itself, and infinite where more follows
   * that is not read here, where the file breaks off, and where it is of a kind that not every upstream reads. Where the two differ by much, send a
   * conversion, not the file.
   */
  packetSeconds: number
  /** The rate in Hz, and the number of channels, as recorded; of a file without a container that ffmpeg alone reads, those of its sound here. */
  rate: number
  channels: number
  /** Whether `sound`, `wav` and `levels` work here. A recording that cannot be decoded is cut by `packets`. */
  isDecodable: boolean
  hasVideo: boolean
  /** Whether the file breaks off, so that `seconds` ends with its last whole frame; or begins in the middle of one. */
  isTruncated: boolean
}

/** A part of a recording in seconds from its beginning; absent: from its beginning, or to its end. A span beyond the recording is cut to it. */
export interface TimeSpan {
  from?: number
  to?: number
}

/** Whole packets of a recording as a file of their own. `start` and `end` are in seconds of the recording, `start` is not after the requested one. */
export interface Packets {
  bytes: Uint8Array
  mediaType: string
  start: number
  end: number
}

export interface RecordingOptions {
  /** Longer recordings are refused as `too_long`. */
  maxSeconds: number
}

/**
 * One recording that was opened and measured. It is decoded once at most, at the first use of its sound, and the decoded sound is kept on the disk
 * where it is long; closing deletes it. Any number of spans may be read at once.
 */
export interface Recording extends AsyncDisposable {
  readonly measured: MeasuredRecording
  /** The sound of a span, one channel at 16 kHz. Throws `SoundError`; `unsupported` where it is not decodable. */
  sound(span?: TimeSpan): AsyncGenerator<Sound>
  /**
   * A span as WAV of 16 kHz, one channel, 16 bits; sound on the disk is read from there as it is needed, until the recording is closed. Throws as
   * `sound` does.
   */
  wav(span?: TimeSpan): Promise<{ bytes: SoundBytes; seconds: number }>
  /**
   * Whether somebody speaks in each span; true where the sound cannot be read here. Each is read as far as its first word, after two minutes in a
   * process of its own, and once for all who ask. Throws as `sound` does.
   */
  speechIn(spans: readonly TimeSpan[]): Promise<readonly boolean[]>
  /** The loudness of the recording, every 10 ms. Throws as `sound` does. */
  levels(): Promise<Levels>
  /** A span cut by packets, without decoding. Only for AAC: `undefined` for others. */
  packets(span: TimeSpan): Promise<Packets | undefined>
}

export type OpenRecording = (
  source: RecordingSource,
  requester: Requester,
  options: RecordingOptions,
) => Promise<Recording>
