/** What code of an app does to a session, and how it ends. */
import type pg from 'pg'
import type { OpenDatabase } from './databases.ts'

/** What functions of the app have set for the session, locked, prepared to read or listened to. */
export const sessionCleaning = `reset all; reset role; select pg_catalog.pg_advisory_unlock_all(); close all; unlisten *; discard temp; discard sequences`

/** Whatever its code does: it can catch the timeout of its statement. */
export function endSession(open: OpenDatabase, client: pg.PoolClient): void {
  const { processID } = client as unknown as { processID: number }
  void open
    .pool('watcher')
    .query('select pg_terminate_backend($1)', [processID])
    .catch(() => undefined)
}
