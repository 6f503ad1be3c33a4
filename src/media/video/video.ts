/**
 * The durable life of a video, from its order to its stored file and its settlement (docs/decisions/media/video-jobs.md). A video is accepted with
 * its hold, ordered at most once, polled until its vendor has made it, fetched, proven, stored and settled once, whether or not any client polls.
 */
import { fetchJob } from './fetch.ts'
import { pollJob } from './poll.ts'
import { startJob } from './start.ts'

export { maxVideoBytes, type SubmitVideoOptions, submitVideo } from './accept.ts'
export type { VideoApp } from './app.ts'
export { type Callback, callbackOf, callbackWith } from './callback.ts'
export { openVideo, type VideoContent } from './content.ts'
export { videosHolding } from './holding.ts'
export { videoSeries } from './metrics.ts'
export { handleVendorWebhook, type VendorWebhook } from './nudge.ts'
export { sentenceOf, type VideoErrorCode } from './phrases.ts'
export { type ParamOf, planVideo, type VideoSetting, type VideoSpec } from './plan.ts'
export { findVideo, type VideoJob, type VideoQuery } from './read.ts'
export { endedKeyOf } from './settle.ts'
export type { VideoSettingsOrdered } from './store.ts'

/** The jobs, for the capability that has the routes. */
export const videoJobs = [startJob, pollJob, fetchJob]
