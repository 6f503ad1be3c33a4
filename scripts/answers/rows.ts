/** Every row of every table, with what differs each time replaced; in the order of their texts, and without members that are null. */
import type pg from 'pg'
import { normalise } from './normalise.ts'

/** The migrations that were applied, and who lives right now. */
const excludedTables = /migration|process|heartbeat|lease/

export async function rowsOf(db: pg.Client): Promise<Record<string, string[]>> {
  const tables = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  )
  const rows: Record<string, string[]> = {}
  for (const { name } of tables.rows) {
    if (excludedTables.test(name)) continue
    const found = await db.query<{ row: string }>(
      `select (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(t)) where value <> 'null')::text as row from ${name} t`,
    )
    rows[`${name}, columns`] = await columnsOf(db, name)
    rows[name] = found.rows
      .map(({ row }) => normalise(row).replace(/"\\\\x[0-9a-f]{16,}"/g, '"‹bytes›"'))
      .sort()
  }
  return rows
}

async function columnsOf(db: pg.Client, table: string): Promise<string[]> {
  const found = await db.query<{ name: string }>(
    `select attname || ' ' || format_type(atttypid, atttypmod) as name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped order by 1`,
    [table],
  )
  return found.rows.map(({ name }) => name)
}

/** Resolves when nothing is held and nothing waits to be done. */
export async function atRest(db: pg.Client): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const found = await db.query<{ held: boolean }>('select exists (select from ledger.holds) as held')
    if (!found.rows[0]!.held) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('a hold stayed open')
}
