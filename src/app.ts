import type { Catalogue } from '#engine/models'
import type { Pipelines } from '#engine/pipelines'
import type { Inference } from '#engine/routing'
import type { CountPages, HostedTools, Reader } from '#engine/tools'
import type { KeyRing } from '#platform/auth'
import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Jobs } from '#platform/jobs'
import type { Ledger } from '#platform/ledger'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { GuardedNet } from '#platform/net'
import type { Processes } from '#platform/processes'
import type { Secrets } from '#platform/secrets'
import type { Spool } from '#platform/spool'
import type { Storage } from '#platform/storage'
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
  /** Who else works on this database, and who of them lives. */
  processes: Processes
  ledger: Ledger
  /** The queue of background work. */
  jobs: Jobs
  models: Catalogue
  inference: Inference
  tools: HostedTools
  countPages: CountPages
  /** Of whole documents, for an index. */
  reader: Reader
  /** For addresses that users name; refuses whatever is not public. */
  net: GuardedNet
  /** Seals what the database must not show. */
  secrets: Secrets
  /** Bytes that outlive a process. */
  storage: Storage
  /** Files in transit, on the disk of this machine. */
  spool: Spool
  /** What durable work does, by its kind. */
  pipelines: Pipelines
}
