/** Whether bytes that an upstream calls a video are one. */
import type { App } from '#app'

export interface ProbedVideo {
  width: number
  height: number
  seconds: number
  hasAudio: boolean
  mediaType: string
}

/** For whom it is done, and until when. */
export interface ProbeRequester {
  accountId: string
  signal: AbortSignal
}

export interface VideoProber {
  /** Throws `MediaFault` where the file is no video that can be played. */
  probe(path: string, requester: ProbeRequester): Promise<ProbedVideo>
}

export const probeVideo = (app: App, path: string, requester: ProbeRequester): Promise<ProbedVideo> =>
  app.videos.probe(path, requester)
