import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { RunKey } from '../store.ts'

export interface EventRow {
  seq: number
  type: string
  data: Record<string, unknown>
  created_at: Date
}

/** Records an event of a run that the caller has locked. */
export async function recordEvent(
  tx: Tx,
  { accountId, runId }: RunKey,
  type: string,
  data: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await sql`select work.tell(${accountId}, ${runId}, ${type}, ${JSON.stringify(data)}::json, ${now})`.execute(
    tx,
  )
}

export const eventsAfter = (db: Db, { accountId, runId }: RunKey, seq: number): Promise<EventRow[]> =>
  db.query(
    {
      name: 'work.events_after',
      text: `select seq, type, data, created_at from work.events
        where account_id = $1 and run_id = $2 and seq > $3 order by seq limit 500`,
    },
    [accountId, runId, seq],
  )

/** The newest events of a run, oldest first. */
export const latestEvents = (db: Db, { accountId, runId }: RunKey, limit: number): Promise<EventRow[]> =>
  db.query(
    {
      text: `select * from (
          select seq, type, data, created_at from work.events where account_id = $1 and run_id = $2 order by seq desc limit $3
        ) e order by seq`,
    },
    [accountId, runId, limit],
  )
