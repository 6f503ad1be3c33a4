/** What a database of a cloud has: tables, their relationships, and functions. Every identifier of a statement comes from here. */

export interface Column {
  name: string
  /** As SQL writes it, schema and quotes included: `integer`, `public.mood`. */
  type: string
  notNull: boolean
  hasDefault: boolean
  /** It is never written. */
  isGenerated: boolean
}

export interface Table {
  id: string
  schema: string
  name: string
  columns: ReadonlyMap<string, Column>
  primaryKey: readonly string[]
}

export interface ForeignKey {
  name: string
  /** The table that refers, and the one that it refers to. */
  from: Table
  columns: readonly string[]
  to: Table
  toColumns: readonly string[]
  /** No two rows refer to the same one. */
  isUnique: boolean
}

export interface Parameter {
  name: string
  type: string
  hasDefault: boolean
  isVariadic: boolean
}

export interface Routine {
  schema: string
  name: string
  parameters: readonly Parameter[]
  returns: { type: string; isSet: boolean; isVoid: boolean; isScalar: boolean; table?: Table | undefined }
  /** It changes nothing: it may run for a GET. */
  isReadOnly: boolean
}

export interface Catalogue {
  /** By schema and name. */
  table(schema: string, name: string): Table | undefined
  foreignKeysOf(table: Table): { outgoing: readonly ForeignKey[]; incoming: readonly ForeignKey[] }
  routines(schema: string, name: string): readonly Routine[]
  /** The name of a type as SQL writes it; undefined where there is none of this name. */
  type(name: string): string | undefined
  schemas: readonly string[]
}

/** One parameter: the names of the schemas that are open to the app. Run with `search_path = pg_catalog`, so that types come with their schema. */
export const catalogueQuery = `select json_build_object(
  'tables', (select coalesce(json_agg(json_build_object(
      'id', c.oid::text, 'schema', n.nspname, 'name', c.relname,
      'columns', (select coalesce(json_agg(json_build_object(
          'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'notNull', a.attnotnull,
          'hasDefault', a.atthasdef or a.attidentity <> '', 'isGenerated', a.attgenerated <> '' or a.attidentity = 'a')
        order by a.attnum), '[]') from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      'primaryKey', (select coalesce(json_agg(a.attname order by k.place), '[]') from pg_index i
        cross join unnest(i.indkey) with ordinality k(attnum, place)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
        where i.indrelid = c.oid and i.indisprimary))), '[]')
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname = any($1::text[])),
  'foreignKeys', (select coalesce(json_agg(json_build_object(
      'name', f.conname, 'from', f.conrelid::text, 'to', f.confrelid::text,
      'columns', (select json_agg(a.attname order by k.place) from unnest(f.conkey) with ordinality k(attnum, place)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum),
      'toColumns', (select json_agg(a.attname order by k.place) from unnest(f.confkey) with ordinality k(attnum, place)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum),
      'isUnique', exists (select from pg_index i where i.indrelid = f.conrelid and i.indisunique and i.indpred is null
        and i.indnkeyatts <= cardinality(f.conkey) and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ f.conkey))
    order by f.conname), '[]')
    from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_class d on d.oid = f.confrelid join pg_namespace m on m.oid = d.relnamespace
    where f.contype = 'f' and f.conparentid = 0 and n.nspname = any($1::text[]) and m.nspname = any($1::text[])),
  'routines', (select coalesce(json_agg(json_build_object(
      'schema', n.nspname, 'name', p.proname, 'isReadOnly', p.provolatile <> 'v',
      'parameters', (select coalesce(json_agg(json_build_object('name', coalesce(p.proargnames[k.place], ''), 'type', format_type(k.type, null),
          'hasDefault', k.place > p.pronargs - p.pronargdefaults, 'isVariadic', p.provariadic <> 0 and k.place = p.pronargs)
        order by k.place), '[]') from unnest(p.proargtypes::oid[]) with ordinality k(type, place)),
      'type', format_type(p.prorettype, null), 'isSet', p.proretset, 'isVoid', p.prorettype = 'void'::regtype,
      'isScalar', t.typtype <> 'c' and p.prorettype <> 'record'::regtype, 'relation', nullif(t.typrelid, 0)::text)), '[]')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
    where p.prokind = 'f' and n.nspname = any($1::text[])
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)),
  'types', (select json_object_agg(t.typname, format_type(t.oid, null)) from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where t.typtype in ('b', 'e', 'd', 'r', 'm') and t.typelem = 0 and (n.nspname = 'pg_catalog' or n.nspname = any($1::text[])))
)::text as catalogue`

interface Read {
  tables: (Omit<Table, 'columns'> & { columns: Column[] })[]
  foreignKeys: (Omit<ForeignKey, 'from' | 'to'> & { from: string; to: string })[]
  routines: (Omit<Routine, 'returns'> & Omit<Routine['returns'], 'table'> & { relation: string | null })[]
  types: Record<string, string>
}

/** Of the text that the query has answered. */
export function readCatalogue(text: string, schemas: readonly string[]): Catalogue {
  const read = JSON.parse(text) as Read
  const byId = new Map<string, Table>()
  const tables = new Map<string, Table>()
  for (const { columns, ...rest } of read.tables) {
    const table = { ...rest, columns: new Map(columns.map((column) => [column.name, column])) }
    byId.set(table.id, table)
    tables.set(keyOf(table.schema, table.name), table)
  }
  const [outgoing, incoming] = [new Map<Table, ForeignKey[]>(), new Map<Table, ForeignKey[]>()]
  for (const { from, to, ...rest } of read.foreignKeys) {
    const [refers, referred] = [byId.get(from), byId.get(to)]
    if (!refers || !referred) continue
    const foreignKey = { ...rest, from: refers, to: referred }
    push(outgoing, refers, foreignKey)
    push(incoming, referred, foreignKey)
  }
  const routines = new Map<string, Routine[]>()
  for (const { type, isSet, isVoid, isScalar, relation, ...rest } of read.routines) {
    const table = relation === null ? undefined : byId.get(relation)
    const routine = { ...rest, returns: { type, isSet, isVoid, isScalar, table } }
    push(routines, keyOf(rest.schema, rest.name), routine)
  }
  return {
    schemas,
    table: (schema, name) => tables.get(keyOf(schema, name)),
    foreignKeysOf: (table) => ({ outgoing: outgoing.get(table) ?? [], incoming: incoming.get(table) ?? [] }),
    routines: (schema, name) => routines.get(keyOf(schema, name)) ?? [],
    type: (name) => (Object.hasOwn(read.types, name) ? read.types[name] : undefined),
  }
}

const keyOf = (schema: string, name: string): string => JSON.stringify([schema, name])

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}
