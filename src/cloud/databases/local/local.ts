/** PostgreSQL servers of clouds on this machine: one for each, in a jail of its own, awake while it is used. */
import type { JailTools } from '#platform/jail'
import type { Log } from '#platform/log'
import type { Claims } from './claims.ts'
import type { PostgresPrograms } from './program.ts'

export interface LocalContext {
  /** The folder of all databases. */
  root: string
  tools: JailTools
  programs: PostgresPrograms
  log: Log
  claims: Claims
  /** The part of the disk that stays free: with less free no database is written. A tenth where absent. */
  leastFree?: number | undefined
}
