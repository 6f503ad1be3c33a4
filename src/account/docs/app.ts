import type { Config } from '#platform/config'
import { routesOf } from '#platform/http'

/** The slice of the app that the description of the routes uses. */
export interface DocsApp {
  config: Config
}

export const route = routesOf<DocsApp>()
