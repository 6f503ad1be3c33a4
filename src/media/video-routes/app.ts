import type { Catalogue } from '#core/models'
import type { VideoApp } from '#media/video'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { routesOf } from '#platform/http'
import type { Ledger } from '#platform/ledger'
import type { GuardedNet } from '#platform/net'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that the routes of videos use. */
export interface VideoRoutesApp {
  clock: Clock
  config: Config
  db: Db
  ledger: Ledger
  models: Catalogue
  /** HTTP client for URLs named by users; refuses private addresses. */
  net: GuardedNet
  /** Signs links and callbacks, and encrypts stored answers that contain a secret. */
  secrets: Secrets
  /** Makes the videos. */
  videos: VideoApp
}

export const route = routesOf<VideoRoutesApp>()
