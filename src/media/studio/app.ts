import type { TurnApp } from '#core/inference'
import type { Catalogue } from '#core/models'
import type { PaidApp } from '#core/paid'
import type { Recordings } from '#core/sound'
import type { ImagesApp } from '#media/images'
import type { Config } from '#platform/config'
import { routesOf } from '#platform/http'

/** The slice of the app that Studio uses. */
export interface StudioApp {
  config: Config
  /** Draws the pictures. */
  images: ImagesApp
  models: Catalogue
  /** Pays for speech. */
  paid: PaidApp
  /** Decodes whole files of sound. */
  recordings: Recordings
  /** Answers the turns of texts and of spoken answers. */
  turns: TurnApp
}

export const route = routesOf<StudioApp>()
