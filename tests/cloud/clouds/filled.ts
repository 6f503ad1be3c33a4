/** Clouds with a row in every table that clouds have rows in, and what is left of them. */
import assert from 'node:assert/strict'
import type { App } from '#app'
import { uuidv7 } from '#platform/ids'

type Room = Pick<App, 'db'>

const query = <Row>({ db }: Room, text: string, values: unknown[] = []) => db.query<Row>({ text }, values)

/** Every table that says of its rows which cloud they belong to. */
export async function cloudTables(room: Room): Promise<string[]> {
  const rows = await query<{ name: string }>(
    room,
    `select quote_ident(c.table_schema) || '.' || quote_ident(c.table_name) as name from information_schema.columns c
      join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
      where c.column_name = 'cloud_id' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Those that have rows of this cloud. */
export async function tablesWith(room: Room, cloudId: string): Promise<string[]> {
  const found: string[] = []
  for (const table of await cloudTables(room))
    if ((await query(room, `select from ${table} where cloud_id = $1 limit 1`, [cloudId])).length > 0)
      found.push(table)
  return found
}

interface Column {
  table: string
  column: string
  type: string
  /** A value that a check of the column allows. */
  allowed: string | null
}

const columnsToFill = (room: Room): Promise<Column[]> =>
  query(
    room,
    `select quote_ident(c.table_schema) || '.' || quote_ident(c.table_name) as table, c.column_name as column, c.udt_name as type,
        (select substring(pg_get_constraintdef(k.oid) from '''([^'']+)''::text') from pg_constraint k
          where k.contype = 'c' and k.conrelid = (c.table_schema || '.' || c.table_name)::regclass
            and pg_get_constraintdef(k.oid) like '%(' || c.column_name || ' = ANY%') as allowed
      from information_schema.columns c
      where (c.table_schema, c.table_name) in (select table_schema, table_name from information_schema.columns where column_name = 'cloud_id')
        and c.table_schema <> 'sites' and (c.table_schema, c.table_name) <> ('databases', 'databases') and (c.is_nullable = 'NO' or c.column_name = 'cloud_id') and c.is_identity = 'NO'
      order by c.ordinal_position`,
  )

const byType = (cloudId: string): Record<string, unknown> => ({
  text: 'filled',
  uuid: cloudId,
  int4: 1,
  int8: 1,
  bool: false,
  jsonb: '{}',
  bytea: Buffer.from(cloudId),
  date: '2026-01-01',
  // Later, so that no sweep of what has expired comes between.
  timestamptz: new Date(Date.now() + 60 * 60 * 1000),
})

/**
 * A row in every table with a cloud_id but that of sites and that of databases, which says where one lies, with values by the types of its columns, so that a table that is added later is filled, too.
 * The key of the bytes of its file is answered; who calls this has stored them.
 */
export async function fill(room: Room, accountId: string, cloudId: string): Promise<string> {
  const storageKey = `clouds/${accountId}/${uuidv7()}`
  const shared: Record<string, unknown> = {
    ...{ account_id: accountId, cloud_id: cloudId, storage_key: storageKey, name: 'filled', version: 1 },
    // Rows refer to each other by these.
    ...{ collection_id: cloudId, user_id: cloudId, session_id: cloudId },
  }
  const values = byType(cloudId)
  let left = Object.entries(Object.groupBy(await columnsToFill(room), ({ table }) => table))
  let why: unknown
  // What a table refers to may come later in the list: it is tried again for as long as that helps.
  for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before; ) {
    before = left.length
    const failed: typeof left = []
    for (const [table, columns = []] of left) {
      const names = columns.map(({ column }) => `"${column}"`)
      const places = columns.map((_column, at) => `$${at + 1}`)
      await query(
        room,
        `insert into ${table} (${names}) values (${places}) on conflict do nothing`,
        columns.map(({ column, type, allowed }) => shared[column] ?? allowed ?? values[type]),
      ).catch((error: unknown) => {
        why = error
        failed.push([table, columns])
      })
    }
    left = failed
  }
  assert.deepEqual(
    left.map(([table]) => table),
    [],
    String(why),
  )
  await recount(room, cloudId)
  return storageKey
}

/** What is counted of a cloud, as it is after rows were inserted here. */
export async function recount(room: Room, cloudId: string): Promise<void> {
  for (const [counts, counted, ...sums] of [
    ['collections', 'select cloud_id, bytes from collections.rows', 'rows', 'bytes'],
    // Objects of buckets count as files.
    [
      'app_files',
      'select cloud_id, bytes from app_files.files union all select cloud_id, bytes from buckets.blobs',
      'files',
      'bytes',
    ],
    ['app_users', 'select cloud_id from app_users.users', 'users'],
  ]) {
    const set = sums.map(
      (sum) =>
        `${sum} = (select ${sum === 'bytes' ? 'coalesce(sum(bytes), 0)' : 'count(*)'} from (${counted}) counted where cloud_id = $1)`,
    )
    await query(room, `update ${counts}.counts set ${set} where cloud_id = $1`, [cloudId])
  }
}
