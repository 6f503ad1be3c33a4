import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { markForDeletion } from '#platform/storage'

declare module '#platform/db' {
  interface Tables {
    'people.exports': ExportRow
  }
}

export type ExportState = 'queued' | 'running' | 'ready' | 'failed' | 'expired'

export interface ExportRow {
  person_id: string
  export_id: string
  state: ExportState
  storage_key: string | null
  bytes: bigint | null
  /** Hexadecimal. */
  sha256: string | null
  attempts: number
  created_at: Date
  finished_at: Date | null
  expires_at: Date | null
}

/** The exports of a person of the last 30 days, newest first. */
export const listExports = (db: Db | Tx, personId: string): Promise<ExportRow[]> =>
  ('kysely' in db ? db.kysely : db)
    .selectFrom('people.exports')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('export_id', 'desc')
    .limit(100)
    .execute()

export const findExport = (db: Db, personId: string, exportId: string): Promise<ExportRow | undefined> =>
  db.kysely
    .selectFrom('people.exports')
    .selectAll()
    .where('person_id', '=', personId)
    .where('export_id', '=', exportId)
    .executeTakeFirst()

export const insertExport = (tx: Tx, row: ExportRow) => tx.insertInto('people.exports').values(row).execute()

/** Notes that a process begins to write an open export; returns how many have, or undefined where it is not open. */
export async function beginAttempt(db: Db, { personId, exportId }: ExportKey): Promise<number | undefined> {
  const rows = await db.query<{ attempts: number }>(
    {
      text: `update people.exports set state = 'running', attempts = attempts + 1
        where person_id = $1 and export_id = $2 and state in ('queued', 'running') returning attempts`,
    },
    [personId, exportId],
  )
  return rows[0]?.attempts
}

export interface ExportKey {
  personId: string
  exportId: string
}

/** Ends an open export; false if another process has. */
export async function endExport(
  tx: Tx,
  { personId, exportId }: ExportKey,
  end: Pick<ExportRow, 'state' | 'storage_key' | 'bytes' | 'sha256' | 'finished_at' | 'expires_at'>,
): Promise<boolean> {
  const done = await tx
    .updateTable('people.exports')
    .set(end)
    .where('person_id', '=', personId)
    .where('export_id', '=', exportId)
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return done.numUpdatedRows === 1n
}

/** An attempt that could not reach the store counts for nothing. */
export async function forgetAttempt(db: Db, { personId, exportId }: ExportKey): Promise<void> {
  await db.query(
    {
      text: `update people.exports set attempts = greatest(attempts - 1, 0)
        where person_id = $1 and export_id = $2 and state = 'running'`,
    },
    [personId, exportId],
  )
}

/** Ends up to `limit` exports whose day is over, marks their bytes for deletion, and returns the keys of these. */
export async function expireExports(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`with due as (
      select person_id, export_id, storage_key from people.exports
      where state = 'ready' and expires_at <= ${now} limit ${limit} for update skip locked
    )
    update people.exports e set state = 'expired', storage_key = null from due
    where e.person_id = due.person_id and e.export_id = due.export_id returning due.storage_key as key`.execute(
    tx,
  )
  const keys = rows.map(({ key }) => key)
  await markForDeletion(tx, keys, now)
  return keys
}

/** Exports that are still open though they were asked for before this time. */
export async function stuckExports({ kysely }: Db, before: Date, limit: number): Promise<ExportKey[]> {
  const rows = await kysely
    .selectFrom('people.exports')
    .select(['person_id', 'export_id'])
    .where('state', 'in', ['queued', 'running'])
    .where('created_at', '<', before)
    .limit(limit)
    .execute()
  return rows.map(({ person_id: personId, export_id: exportId }) => ({ personId, exportId }))
}

/** Deletes up to `limit` records that nobody needs any more, and returns how many. */
export async function deleteOld({ kysely }: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`delete from people.exports where ctid = any(array(
      select ctid from people.exports where created_at < ${before} and state in ('failed', 'expired') limit ${limit}))
    returning 1`.execute(kysely)
  return rows.length
}
