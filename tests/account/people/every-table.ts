/** Every table of the database whose rows belong to an account, and a made-up row in each. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { World } from '../../harness/world.ts'

type Query = World['app']['db']['query']

/** The tables with a column `account_id`, as `schema.table`. */
export async function tablesOfAccounts(query: Query): Promise<string[]> {
  const rows = await query<{ name: string }>(
    {
      text: `select c.table_schema || '.' || c.table_name as name
        from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.column_name = 'account_id' and t.table_type = 'BASE TABLE' and c.table_schema not like 'pg\\_%'
        order by name`,
    },
    [],
  )
  return rows.map(({ name }) => name)
}

interface Column {
  name: string
  type: string
}

/** A foreign key: its columns, and those of the other table in the same order. */
interface Reference {
  own: string[]
  parent: string
  theirs: string[]
}

const values: Record<string, () => unknown> = {
  uuid: () => randomUUID(),
  text: () => randomUUID().slice(0, 8),
  int2: () => 1,
  int4: () => 1,
  int8: () => 1,
  bool: () => true,
  date: () => '2026-11-30',
  // Sweeps leave alone what is not over.
  timestamptz: () => '2999-01-01T00:00:00Z',
  bytea: () => Buffer.from(randomUUID().replaceAll('-', '')),
  json: () => '[]',
  jsonb: () => '{}',
}

/** What rows need beside what their columns say. */
const given: Record<string, Record<string, unknown>> = {
  'auth.management_keys': { hash: Buffer.alloc(32, 1), permissions: ['keys:read'] },
  // One that is under way without its process is ended, and its steps are deleted with that.
  'realtime.calls': { status: 'ended', reason: 'client', ended_at: '2999-01-01T00:00:00Z', charged: 0 },
  'talk.messages': { depth: 0, state: 'complete', ended_at: '2026-11-30T00:00:00Z', is_indexed: true },
  'webhooks.deliveries': { due_at: '2999-01-01T00:00:00Z' },
}

/** Makes sure that each of the tables has a row of the account: those that others refer to first. */
export async function insertRows(
  { app }: World,
  tables: readonly string[],
  accountId: string,
): Promise<void> {
  const { kysely } = app.db
  const waiting = new Set(tables)
  const referencesOf = new Map<string, Reference[]>()
  for (const table of tables) {
    const { rows } = await sql<Reference>`select c.confrelid::regclass::text as parent,
        array(select a.attname::text from unnest(c.conkey) with ordinality k(n, at) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.at) as own,
        array(select a.attname::text from unnest(c.confkey) with ordinality k(n, at) join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.at) as theirs
      from pg_constraint c where c.contype = 'f' and c.conrelid = ${table}::regclass`.execute(kysely)
    referencesOf.set(table, rows)
  }
  while (waiting.size > 0) {
    const next = [...waiting].find((table) =>
      referencesOf.get(table)!.every(({ parent }) => parent === table || !waiting.has(parent)),
    )!
    waiting.delete(next)
    const { rows } =
      await sql`select from ${sql.table(next)} where account_id = ${accountId} limit 1`.execute(kysely)
    if (rows.length === 0) await insertRow(app, next, accountId, referencesOf.get(next)!)
  }
}

/**
 * Puts a row of the account into a table. Columns that may be null are left out, keys of other tables are those of a row there, and a text that has to be
 * one of some is the first of them.
 */
async function insertRow(
  { db }: World['app'],
  table: string,
  accountId: string,
  references: readonly Reference[],
): Promise<void> {
  const { rows: columns } = await sql<Column>`select a.attname as name, t.typname as type
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef
      and a.attgenerated = '' and a.attidentity = ''`.execute(db.kysely)
  const { rows: checks } = await sql<{
    text: string
  }>`select pg_get_constraintdef(oid) as text from pg_constraint
    where conrelid = ${table}::regclass and contype = 'c'`.execute(db.kysely)
  const row: Record<string, unknown> = {}
  for (const { name, type } of columns) {
    const allowed = checks.map(
      ({ text }) => new RegExp(`\\(${name} = ANY \\(ARRAY\\['([^']+)'`).exec(text)?.[1],
    )
    row[name] = allowed.find((one) => one !== undefined) ?? values[type]?.() ?? '{}'
  }
  row['account_id'] = accountId
  for (const { own, parent, theirs } of references) {
    if (!own.every((name) => name in row)) continue
    const of = theirs.includes('account_id') ? sql`where account_id = ${accountId}` : sql``
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from ${sql.table(parent)} ${of} limit 1`.execute(db.kysely)
    for (const [at, name] of own.entries()) row[name] = rows[0]![theirs[at]!]
  }
  Object.assign(row, given[table])
  const names = Object.keys(row)
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    values (${sql.join(names.map((name) => sql`${row[name]}`))})`.execute(db.kysely)
}
