import type { Config } from '#platform/config'
import type { Metrics } from '#platform/metrics'

/** The slice of the app that the second listener uses. */
export interface AppsApp {
  config: Config
  metrics: Metrics
}
