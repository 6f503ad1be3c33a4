import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import { type Jobs, jobsOf } from '#platform/jobs'
import type { Log } from '#platform/log'
import type { Secrets } from '#platform/secrets'
import type { CloudKey } from './clouds.ts'

/** Makes databases of dedicated clouds: a part of `CloudDatabases` in `cloud/databases`, a room that knows this one. */
interface DatabaseMaker {
  /** A step of provisioning. `ref` is the name of a new database. */
  make(cloud: CloudKey & { ref: string }): Promise<void>
}

/** The slice of the app that the records, keys and limits of clouds use. */
export interface CloudsApp {
  clock: Clock
  config: Config
  databases: DatabaseMaker
  db: Db
  /** The queue of background work. */
  jobs: Jobs
  log: Log
  /** Encrypts the keys that sign sessions. */
  secrets: Secrets
}

export const job = jobsOf<CloudsApp>()
