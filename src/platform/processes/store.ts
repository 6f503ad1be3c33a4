/** The table and `ledger.lives` are in the schema of the ledger, whose holds were the first to depend on processes. */
import type { Db } from '#platform/db'

/** Returns when it was, by the clock of the database. */
export async function writeHeartbeat(db: Db, id: string, timeoutMs: number): Promise<Date> {
  const [row] = await db.query<{ beat_at: Date }>(
    {
      text: `insert into ledger.processes (process_id) values ($1)
        on conflict (process_id) do update set beat_at = platform.now() returning beat_at`,
      timeoutMs,
      apart: true,
    },
    [id],
  )
  return row!.beat_at
}

/**
 * SQL: how long others are silent before they count as dead, for the process that asks; all three are parameters (`Judge`). Where the database
 * has had no heartbeat of its own for half of that, it stood still, as the statement may have done on its way: then nobody counts as dead. Nor
 * where the heartbeat that it knew of when it asked is older than that: a database that goes on after it stood still may carry out what has
 * waited in any order, its own newest heartbeat and this statement before the heartbeats of others.
 */
export const lapseFor = (lapseMs: string, processId: string, beatAt: string): string =>
  `(select case when exists (select from ledger.processes
      where process_id = ${processId}
        and least(beat_at, ${beatAt}::timestamptz) > platform.now() - ${lapseMs} * interval '1 millisecond' / 2)
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
