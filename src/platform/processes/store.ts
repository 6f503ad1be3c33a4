/** The table and `ledger.lives` are in the schema of the ledger, whose holds were the first to depend on processes. */
import type { Db } from '#platform/db'

export const writeHeartbeat = (db: Db, id: string, timeoutMs: number): Promise<unknown> =>
  db.query(
    {
      text: 'insert into ledger.processes (process_id) values ($1) on conflict (process_id) do update set beat_at = now()',
      timeoutMs,
      apart: true,
    },
    [id],
  )

/** Also deletes those that died long ago. */
export const signOff = (db: Db, id: string, timeoutMs: number): Promise<unknown> =>
  db.query(
    {
      text: `delete from ledger.processes where process_id = $1 or beat_at < now() - interval '1 day'`,
      timeoutMs,
      apart: true,
    },
    [id],
  )
