/** Copies collections into tables of a database that belongs to their cloud: members of rows become columns, access becomes policies. */
import { CompiledQuery } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import type { Collections } from './open.ts'
import * as store from './store.ts'

/** PostgreSQL would cut longer names; members with such names, and those beyond `maxColumns`, stand together in `other_members`. */
const nameBytes = 63
const maxColumns = 500
const otherMembers = 'other_members'
/** Rows of one statement: at most 64 KB each. */
const portion = 50

interface Column {
  name: string
  type: 'text' | 'boolean' | 'numeric' | 'jsonb'
}

interface TableShape {
  columns: Column[]
  /** Whether there are members without a column. */
  hasRest: boolean
}

/**
 * Writes every collection into a transaction on the cloud's own database, as the role that owns its schema public. Nobody writes the rows
 * meanwhile.
 */
export async function copyToTables(collections: Collections, cloud: CloudKey, tx: Tx): Promise<void> {
  const found = await collections.query(cloud, (run) => store.collectionsOf(run, cloud))
  if (found.length > 0) await run(tx, updatedAtFunctionSql)
  for (const collection of found) {
    const shape = await shapeOf(collections, cloud, collection)
    for (const statement of tableStatements(collection, shape)) await run(tx, statement)
    for await (const json of rowsOf(collections, cloud, collection, shape))
      await run(tx, insertStatement(collection, shape), [json])
  }
}

/** Drops what an earlier copy has written: nobody but a copy has ever used this database. */
export async function dropCopiedTables(tx: Tx): Promise<void> {
  const { rows } = await tx.executeQuery<{ name: string }>(
    CompiledQuery.raw(
      `select c.relname::text as name from pg_catalog.pg_class c
        where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind = 'r'`,
      [],
    ),
  )
  for (const { name } of rows) await run(tx, `drop table public.${quoted(name)}`)
  await run(tx, 'drop function if exists public.set_updated_at()')
}

const run = async (tx: Tx, text: string, values: readonly unknown[] = []): Promise<void> =>
  void (await tx.executeQuery(CompiledQuery.raw(text, [...values])))

/** Returns columns for the members of all rows, by the types of their values; the longest rows have 2,000. */
async function shapeOf(
  collections: Collections,
  { accountId, cloudId }: CloudKey,
  { collection_id: collectionId }: store.CollectionRow,
): Promise<TableShape> {
  const members = await collections.query({ accountId, cloudId }, (query) =>
    query<{ name: string; types: string[]; rows: bigint }>(
      `select m.key as name, array_agg(distinct jsonb_typeof(m.value)) as types, count(*) as rows
        from collections.rows r, jsonb_each(r.data) m
        where r.account_id = $1 and r.cloud_id = $2 and r.collection_id = $3
        group by m.key order by count(*) desc, min(r.row_id::text), m.key collate "C" limit ${maxColumns * 4}`,
      [accountId, cloudId, collectionId],
    ),
  )
  const fitting = members.filter(
    ({ name }) => name !== '' && name !== otherMembers && Buffer.byteLength(name) <= nameBytes,
  )
  const columns = fitting.slice(0, maxColumns).map(({ name, types }) => ({ name, type: typeOf(types) }))
  return { columns, hasRest: columns.length < members.length }
}

/** Returns a type that fits every value. Whole numbers get one that will take fractions too. */
function typeOf(types: readonly string[]): Column['type'] {
  const [only, ...more] = types.filter((type) => type !== 'null')
  if (more.length > 0) return 'jsonb'
  return only === 'string' ? 'text' : only === 'boolean' ? 'boolean' : only === 'number' ? 'numeric' : 'jsonb'
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const systemColumnsSql = `id uuid primary key default pg_catalog.gen_random_uuid(),
  owner_id uuid default auth.uid(),
  created_at timestamptz not null default pg_catalog.now(),
  updated_at timestamptz not null default pg_catalog.now()`

const updatedAtFunctionSql = `create function public.set_updated_at() returns trigger language plpgsql set search_path = pg_catalog
  as $$ begin new.updated_at := now(); return new; end $$`

const ownerConditionSql = 'owner_id = (select auth.uid())'

/** Access stays as it was: owners read and write their rows, everybody reads where the collection was public. */
function* tableStatements(
  { name, public_read: isPublic }: store.CollectionRow,
  shape: TableShape,
): Generator<string> {
  const table = `public.${quoted(name)}`
  const members = columnsOf(shape).map((column) => `,\n  ${quoted(column.name)} ${column.type}`)
  yield `create table ${table} (${systemColumnsSql}${members.join('')})`
  yield `create index on ${table} (owner_id)`
  yield `alter table ${table} enable row level security`
  yield isPublic
    ? `create policy "everybody reads" on ${table} for select to anon, authenticated using (true)`
    : `create policy "owners read" on ${table} for select to authenticated using (${ownerConditionSql})`
  yield `create policy "owners insert" on ${table} for insert to authenticated with check (${ownerConditionSql})`
  yield `create policy "owners update" on ${table} for update to authenticated using (${ownerConditionSql}) with check (${ownerConditionSql})`
  yield `create policy "owners delete" on ${table} for delete to authenticated using (${ownerConditionSql})`
  yield `create trigger set_updated_at before update on ${table} for each row execute function public.set_updated_at()`
}

const columnsOf = ({ columns, hasRest }: TableShape): Column[] =>
  hasRest ? [...columns, { name: otherMembers, type: 'jsonb' }] : columns

/** `$1` is an array of rows as JSON. */
function insertStatement({ name }: store.CollectionRow, shape: TableShape): string {
  const columns: { name: string; type: string }[] = [
    ...[
      { name: 'id', type: 'uuid' },
      { name: 'owner_id', type: 'uuid' },
    ],
    ...[
      { name: 'created_at', type: 'timestamptz' },
      { name: 'updated_at', type: 'timestamptz' },
    ],
    ...columnsOf(shape),
  ]
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const typed = columns.map((column) => `${quoted(column.name)} ${column.type}`).join(', ')
  return `insert into public.${quoted(name)} (${names}) select ${names} from pg_catalog.json_to_recordset($1::json) as r(${typed})`
}

/** Yields rows as JSON texts, so that numbers stay as exact as they are. */
async function* rowsOf(
  collections: Collections,
  cloud: CloudKey,
  { collection_id: collectionId }: store.CollectionRow,
  { columns }: TableShape,
): AsyncGenerator<string> {
  const names = columns.map(({ name }) => name)
  const text = `select max(row_id::text)::uuid as last, json_agg(row)::text as json from (
      select row_id, data || jsonb_build_object('id', row_id, 'owner_id', owner_id, 'created_at', created_at, 'updated_at', updated_at,
        '${otherMembers}', nullif(data - $5::text[], '{}')) as row
      from collections.rows where account_id = $1 and cloud_id = $2 and collection_id = $3 and row_id > $4
      order by row_id limit ${portion}) r`
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const [found] = await collections.query(cloud, (query) =>
      query<{ last: string | null; json: string }>(text, [
        cloud.accountId,
        cloud.cloudId,
        collectionId,
        after,
        names,
      ]),
    )
    if (!found?.last) return
    yield found.json
    after = found.last
  }
}
