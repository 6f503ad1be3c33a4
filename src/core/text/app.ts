import type { TurnApp } from '#core/inference'
import type { Catalogue } from '#core/models'
import type { Inference } from '#core/routing'
import type { CountPages } from '#core/tools'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { GuardedNet } from '#platform/net'
import type { Secrets } from '#platform/secrets'

/** The slice of the app that requests to text models use. */
export interface ModelRequestApp {
  clock: Clock
  config: Config
  countPages: CountPages
  db: Db
  inference: Inference
  ledger: Ledger
  log: Log
  models: Catalogue
  /** HTTP client for URLs named by users; refuses private addresses. */
  net: GuardedNet
  /** Encrypts stored answers that contain a secret. */
  secrets: Secrets
  /** Answers the turns of the requests. */
  turns: TurnApp
}
