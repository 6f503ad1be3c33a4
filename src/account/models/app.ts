import type { Catalogue } from '#core/models'
import type { Config } from '#platform/config'
import { routesOf } from '#platform/http'

/** The slice of the app that the list of models uses. */
export interface ModelsApp {
  config: Config
  models: Catalogue
}

export const route = routesOf<ModelsApp>()
