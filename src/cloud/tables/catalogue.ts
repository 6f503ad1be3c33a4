/** What a database of a cloud has: tables, their relationships, and functions. Every identifier of a statement comes from here. */
import { catalogueQuery } from './catalogue-query.ts'
import { updatableRelations, type ViewOfTable, viewsByTable } from './shown-tables.ts'
import { readViewColumns } from './view-columns.ts'

export { catalogueQuery }

export interface Column {
  name: string
  /** The type as SQL writes it, schema and quotes included: `integer`, `public.mood`. */
  type: string
  /** The schema that has the operators of its type: `pg_catalog`, or that of the extension that brings the type. */
  operators: string
  notNull: boolean
  /** The default expression, every name in it with its schema. */
  default: string | null
  /** True where the column is never written. */
  isGenerated: boolean
  description: string | null
  /** Its place in its table, dropped columns counted; absent for a column that is no table's. */
  number?: number | undefined
}

export interface DatabaseTable {
  id: string
  schema: string
  name: string
  isView: boolean
  columns: ReadonlyMap<string, Column>
  /** The primary key. That of a view: the columns by which it shows the keys of its tables, which several of its rows may share. */
  primaryKey: readonly string[]
  /** The columns that identify one row to a write: the primary key; none of a view whose rows PostgreSQL does not write by itself. */
  rowKey: readonly string[]
  description: string | null
}

export interface ForeignKey {
  name: string
  /** The table that refers, and the one that it refers to. */
  from: DatabaseTable
  columns: readonly string[]
  to: DatabaseTable
  toColumns: readonly string[]
  /** True where no two rows refer to the same row. */
  isUnique: boolean
  /** Whether the table that has the key is open to apps itself, beside the view that shows the key here. */
  isRepeated: boolean
}

export interface Parameter {
  name: string
  type: string
  hasDefault: boolean
  isVariadic: boolean
  /** The table whose rows the parameter takes. */
  table?: DatabaseTable | undefined
}

export interface Routine {
  schema: string
  name: string
  parameters: readonly Parameter[]
  returns: {
    type: string
    isSet: boolean
    /** The function declares that it returns one row at most. */
    isOneRow: boolean
    isVoid: boolean
    /** The table of the returned rows; absent for single values. Columns that are no table's (`returns table (…)`) make one without relationships. */
    table?: DatabaseTable | undefined
  }
  /** The function changes nothing, so it may run for a GET. */
  isReadOnly: boolean
}

export interface Catalogue {
  /** The version of the schema, which changes as soon as anything of the catalogue does. */
  version: string
  tables: readonly DatabaseTable[]
  /** The table of this schema and name. */
  table(schema: string, name: string): DatabaseTable | undefined
  foreignKeysOf(table: DatabaseTable): { outgoing: readonly ForeignKey[]; incoming: readonly ForeignKey[] }
  routines(schema: string, name: string): readonly Routine[]
  /** A function that takes a row of the table and nothing else: one more column of it, or a relationship. */
  computed(table: DatabaseTable, name: string): Routine | undefined
  /** The name of a type as SQL writes it; undefined where there is none of this name. */
  type(name: string): string | undefined
  schemas: readonly string[]
}

interface ForeignKeyJson extends Omit<ForeignKey, 'from' | 'to' | 'isRepeated'> {
  from: string
  to: string
}

interface RoutineJson extends Omit<Routine, 'returns' | 'parameters'>, Omit<Routine['returns'], 'table'> {
  parameters: (Omit<Parameter, 'table'> & { relation: string | null })[]
  relation: string | null
  columns: Column[] | null
}

interface TableJson extends Omit<DatabaseTable, 'columns' | 'rowKey'> {
  columns: Column[]
  definition: string | null
  /** False for a view of several tables, of groups and the like, and for one with INSTEAD OF triggers or rules of its own. */
  isUpdatable: boolean
}

interface CatalogueJson {
  version: string
  tables: TableJson[]
  /** What views read in schemas that are not open to the app; of columns there are only names and numbers. */
  hidden: TableJson[]
  foreignKeys: ForeignKeyJson[]
  routines: RoutineJson[]
  types: Record<string, string>
}

/** The catalogue in the text that `catalogueQuery` has answered. */
export function readCatalogue(text: string, schemas: readonly string[]): Catalogue {
  const read = JSON.parse(text) as CatalogueJson
  const relations = new Relations(read)
  const { byId } = relations
  const tables = new Map<string, DatabaseTable>()
  for (const table of byId.values()) tables.set(keyOf(table.schema, table.name), table)
  const [outgoing, incoming] = [
    new Map<DatabaseTable, ForeignKey[]>(),
    new Map<DatabaseTable, ForeignKey[]>(),
  ]
  for (const foreignKey of foreignKeys(read.foreignKeys, relations)) {
    push(outgoing, foreignKey.from, foreignKey)
    push(incoming, foreignKey.to, foreignKey)
  }
  const [routines, computed] = [new Map<string, Routine[]>(), new Map<string, Routine>()]
  for (const one of read.routines) {
    const routine = routineOf(one, byId)
    push(routines, keyOf(routine.schema, routine.name), routine)
    const [first, ...more] = routine.parameters
    if (first?.table && more.length === 0) computed.set(keyOf(first.table.id, routine.name), routine)
  }
  return {
    schemas,
    version: read.version,
    tables: [...tables.values()],
    table: (schema, name) => tables.get(keyOf(schema, name)),
    foreignKeysOf: (table) => ({ outgoing: outgoing.get(table) ?? [], incoming: incoming.get(table) ?? [] }),
    routines: (schema, name) => routines.get(keyOf(schema, name)) ?? [],
    computed: (table, name) => computed.get(keyOf(table.id, name)),
    type: (name) => typeOf(read.types, name),
  }
}

function routineOf(
  { type, isSet, isOneRow, isVoid, relation, columns, parameters, ...rest }: RoutineJson,
  byId: ReadonlyMap<string, DatabaseTable>,
): Routine {
  const tableOf = (id: string | null): DatabaseTable | undefined => (id === null ? undefined : byId.get(id))
  return {
    ...rest,
    parameters: parameters.map(({ relation: of, ...parameter }) => ({ ...parameter, table: tableOf(of) })),
    returns: {
      type,
      isSet,
      isOneRow,
      isVoid,
      table: tableOf(relation) ?? (columns ? tableOfColumns(rest, columns) : undefined),
    },
  }
}

export const tableOfColumns = (
  { schema, name }: { schema: string; name: string },
  columns: readonly Column[],
): DatabaseTable => ({
  ...{
    id: '',
    schema,
    name,
    isView: true,
    columns: byName(columns),
    primaryKey: [],
    rowKey: [],
    description: null,
  },
})

const byName = (columns: readonly Column[]): DatabaseTable['columns'] =>
  new Map(columns.map((column) => [column.name, column]))

/** The tables and views of a database, those that apps do not reach too, and what the views show of tables. */
class Relations {
  /** What is open to apps. */
  readonly byId: ReadonlyMap<string, DatabaseTable>
  readonly all: ReadonlyMap<string, DatabaseTable>
  readonly shown: ReadonlyMap<DatabaseTable, readonly ViewOfTable[]>

  constructor({ tables, hidden }: Pick<CatalogueJson, 'tables' | 'hidden'>) {
    const ofJson = ({
      columns,
      definition: _,
      isUpdatable: __,
      ...rest
    }: TableJson): [string, MutableTable] => {
      const { id, primaryKey } = rest
      return [id, { ...rest, primaryKey: [...primaryKey], rowKey: [...primaryKey], columns: byName(columns) }]
    }
    const own = new Map(tables.map(ofJson))
    this.byId = own
    this.all = new Map([...own, ...hidden.map(ofJson)])
    const definitions = [...tables, ...hidden].flatMap(({ id, definition }) =>
      definition === null ? [] : [[id, readViewColumns(definition)] as const],
    )
    this.shown = viewsByTable(definitions, this.all)
    const updatable = updatableRelations([...tables, ...hidden], definitions)
    for (const [table, views] of this.shown)
      for (const { view, columns } of views) {
        const key = shownKey(table, columns) ?? []
        // A view of several tables has the keys of those that it shows with theirs.
        own.get(view.id)?.primaryKey.push(...key)
        if (updatable.has(view.id)) own.get(view.id)?.rowKey.push(...key)
      }
  }

  /** Whether apps reach a table. */
  isOpen({ id }: DatabaseTable): boolean {
    return this.byId.has(id)
  }
}

interface MutableTable extends DatabaseTable {
  primaryKey: string[]
  rowKey: string[]
}

/** The columns by which a view shows the primary key of a table; undefined where it shows only a part of it, or there is none. */
function shownKey({ primaryKey }: DatabaseTable, columns: ReadonlyMap<string, string>): string[] | undefined {
  const key = primaryKey.flatMap((column) => columns.get(column) ?? [])
  return key.length > 0 && key.length === primaryKey.length ? key : undefined
}

/** The foreign keys of tables, and those that views have by the columns that they show of tables. Each is between what is open to apps. */
function foreignKeys(keys: readonly ForeignKeyJson[], relations: Relations): ForeignKey[] {
  let left = maxKeys - keys.length
  return keys.flatMap(({ from, to, columns, toColumns, name, isUnique }) => {
    const [referring, referred] = [relations.all.get(from), relations.all.get(to)]
    if (!referring || !referred) return []
    const origins = placesOf(referring, columns, relations, left > 0)
    const targets = placesOf(referred, toColumns, relations, left > 0)
    left -= origins.length * targets.length - 1
    return origins.flatMap((origin) =>
      targets.map((target) => ({
        ...{ name, isUnique },
        ...{ from: origin.table, columns: origin.columns },
        ...{ to: target.table, toColumns: target.columns },
        isRepeated: origin.table !== referring && relations.isOpen(referring),
      })),
    )
  })
}

interface KeyPlace {
  table: DatabaseTable
  columns: readonly string[]
}

/** The most views at one end of a key: each is related to each view at the other end. */
const maxViewsOfKey = 30
/**
 * The most keys of all tables and views: making them holds the process. All keys of tables are included; beyond this number views get no more of
 * them.
 */
const maxKeys = 20_000

/** The table at one end of a key, if it is open to apps, and its views that show the columns of the key. */
function placesOf(
  table: DatabaseTable,
  columns: readonly string[],
  relations: Relations,
  withViews: boolean,
): KeyPlace[] {
  const own = relations.isOpen(table) ? [{ table, columns }] : []
  if (!withViews) return own
  const views = (relations.shown.get(table) ?? []).flatMap(({ view, columns: names }) => {
    const mapped = columns.flatMap((column) => names.get(column) ?? [])
    return mapped.length === columns.length && relations.isOpen(view)
      ? [{ table: view, columns: mapped }]
      : []
  })
  return [...own, ...views.slice(0, maxViewsOfKey)]
}

/** Words of SQL for types that the catalogue of PostgreSQL names otherwise. */
const typeWords: Readonly<Record<string, string>> = {
  int: 'int4',
  integer: 'int4',
  bigint: 'int8',
  smallint: 'int2',
  real: 'float4',
  float: 'float8',
  'double precision': 'float8',
  decimal: 'numeric',
  boolean: 'bool',
  char: 'bpchar',
  character: 'bpchar',
  'character varying': 'varchar',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
}

function typeOf(types: CatalogueJson['types'], name: string): string | undefined {
  const isArray = name.endsWith('[]')
  const one = isArray ? name.slice(0, -2) : name
  const word = one.toLowerCase()
  const known = Object.hasOwn(typeWords, word) ? typeWords[word]! : Object.hasOwn(types, one) ? one : word
  if (!Object.hasOwn(types, known)) return undefined
  return isArray ? `${types[known]}[]` : types[known]
}

const keyOf = (first: string, second: string): string => JSON.stringify([first, second])

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}
