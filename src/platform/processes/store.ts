/** The table and `ledger.lives` are in the schema of the ledger, whose holds were the first to depend on processes. */
import type { Db } from '#platform/db'

/** Writes a heartbeat and returns its time, by the clock of the database. */
export async function writeHeartbeat(db: Db, id: string, timeoutMs: number): Promise<Date> {
  const [row] = await db.query<{ beat_at: Date }>(
    {
      text: `insert into ledger.processes (process_id) values ($1)
        on conflict (process_id) do update set beat_at = platform.now() returning beat_at`,
      timeoutMs,
      onReservedConnection: true,
    },
    [id],
  )
  return row!.beat_at
}

/**
 * SQL: how long other processes may be silent before they count as dead, as judged by the asking process; all three values are parameters (`Judge`).
 * If the asker's own heartbeat in the database is older than half of that, the database stood still, or the statement was delayed: then nobody counts
 * as dead. The same holds if the heartbeat that the asker knew when it asked is older: a database that resumes may execute waiting statements in any
 * order, such as the asker's newest heartbeat and this statement before the heartbeats of others.
 */
export const lapseIntervalSql = (lapseMs: string, processId: string, beatAt: string): string =>
  `(select case when exists (select from ledger.processes
      where process_id = ${processId}
        and least(beat_at, ${beatAt}::timestamptz) > platform.now() - ${lapseMs} * interval '1 millisecond' / 2)
    then ${lapseMs} * interval '1 millisecond' else interval '1000 years' end)`

/** Deletes the process, and those that died long ago. */
export const deregister = (db: Db, id: string, timeoutMs: number): Promise<unknown> =>
  db.query(
    {
      text: `delete from ledger.processes where process_id = $1 or beat_at < platform.now() - interval '1 day'`,
      timeoutMs,
      onReservedConnection: true,
    },
    [id],
  )
