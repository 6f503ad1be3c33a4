import type { Catalogue } from '#core/models'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that the routes which call a model share. Most functions of this room take a part of it. */
export interface CallsApp {
  clock: Clock
  db: Db
  ledger: Ledger
  log: Log
  models: Catalogue
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
}
