import type { FilesApp } from '#core/files'
import type { VideoProbe } from '#core/media'
import type { Catalogue } from '#core/models'
import type { Inference } from '#core/routing'
import type { KeyRing } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Spool } from '#platform/spool'

/** The slice of the app that a video uses from its acceptance to its end. */
export interface VideoApp {
  clock: Clock
  config: Config
  db: Db
  /** Stores reference pictures and videos. */
  files: FilesApp
  inference: Inference
  /** The queue of background work. */
  jobs: Jobs
  log: Log
  metrics: Metrics
  models: Catalogue
}

/** The slice of the app that the order of a video uses. */
export interface VideoOrderApp extends VideoApp {
  keys: KeyRing
  ledger: Ledger
}

/** The slice of the app that the fetch of a finished video uses. */
export interface VideoFetchApp extends VideoApp {
  /** Files in transit, on the disk of this machine. */
  spool: Spool
  /** Measures untrusted files of video. */
  videoProbe: VideoProbe
}

export const job = jobsOf<VideoApp>()
export const orderingJob = jobsOf<VideoOrderApp>()
export const fetchingJob = jobsOf<VideoFetchApp>()
