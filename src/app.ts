import type { Catalogue } from '#engine/models'
import type { Inference } from '#engine/routing'
import type { KeyRing } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Tracing } from '#platform/trace'

export type { Caller } from '#platform/auth'

/** What every capability is given; made once in `server.ts`. */
export interface App {
  config: Config
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Undefined when nobody traces. */
  tracing?: Tracing | undefined
  keys: KeyRing
  ledger: Ledger
  models: Catalogue
  inference: Inference
}
