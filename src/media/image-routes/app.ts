import type { Catalogue } from '#core/models'
import type { ImagesApp } from '#media/images'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import { routesOf } from '#platform/http'
import type { Log } from '#platform/log'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that the routes for pictures use. */
export interface ImageRoutesApp {
  clock: Clock
  config: Config
  /** Draws the pictures. */
  images: ImagesApp
  log: Log
  models: Catalogue
  /** Signs links to stored pictures. */
  secrets: Secrets
}

export const route = routesOf<ImageRoutesApp>()
