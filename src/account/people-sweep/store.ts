import { sql } from 'kysely'
import type { Db } from '#platform/db'

export interface OldRows {
  /** A table of the schema `people`. */
  table: string
  column: string
  before: Date
  /** Only rows that were never confirmed. */
  isUnconfirmed?: true
}

/** Deletes up to `limit` rows whose column is before a time, and returns how many. */
export async function deleteOld(
  { kysely }: Db,
  { table, column, before, isUnconfirmed }: OldRows,
  limit: number,
): Promise<number> {
  const name = sql.table(`people.${table}`)
  const old = sql`${sql.ref(column)} < ${before} ${isUnconfirmed ? sql`and confirmed_at is null` : sql``}`
  const { rows } =
    await sql`delete from ${name} where ctid = any(array(select ctid from ${name} where ${old} limit ${limit}))
    and ${old} returning 1`.execute(kysely)
  return rows.length
}
