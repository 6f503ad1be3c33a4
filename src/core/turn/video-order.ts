import type { Media } from './message.ts'

/** Height of a video in lines, as vendors name it. */
export type VideoResolution = '480p' | '720p' | '1080p'

/** `guide`: pictures that say what things look like; `frames`: the first frame, and the last one where there are two. */
export type ReferenceMode = 'guide' | 'frames'

/** A video to be made. Settings that the model does not support are absent and not sent. */
export interface VideoOrder {
  prompt: string
  /** The length in whole seconds. */
  seconds: number
  resolution: VideoResolution
  /** The ratio of the sides, such as `16:9`. */
  aspectRatio: string
  /** Absent where the model leaves no choice. */
  withAudio?: boolean
  /** Pictures with data and media type, in the caller's order. */
  references: readonly Media[]
  /** Present where there are references. */
  referenceMode?: ReferenceMode
  seed?: number
}
