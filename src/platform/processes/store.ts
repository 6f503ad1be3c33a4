/** The table and `ledger.lives` are in the schema of the ledger, whose holds were the first to depend on processes. */
import type { Db } from '#platform/db'

export const writeHeartbeat = (db: Db, id: string, timeoutMs: number): Promise<unknown> =>
  db.query(
    {
      text: 'insert into ledger.processes (process_id) values ($1) on conflict (process_id) do update set beat_at = platform.now()',
      timeoutMs,
      apart: true,
    },
    [id],
  )

/**
 * SQL: how long others are silent before they count as dead, for the process that asks; both are parameters. Where the database has had no
 * heartbeat of its own for half of that, it stood still, as the statement may have done on its way: then nobody counts as dead.
 */
export const lapseFor = (lapseMs: string, processId: string): string =>
  `(select case when exists (select from ledger.processes
      where process_id = ${processId} and beat_at > platform.now() - ${lapseMs} * interval '1 millisecond' / 2)
    then ${lapseMs} * interval '1 millisecond' else interval '1000 years' end)`

/** Also deletes those that died long ago. */
export const signOff = (db: Db, id: string, timeoutMs: number): Promise<unknown> =>
  db.query(
    {
      text: `delete from ledger.processes where process_id = $1 or beat_at < platform.now() - interval '1 day'`,
      timeoutMs,
      apart: true,
    },
    [id],
  )
