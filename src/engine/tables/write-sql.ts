/** Rows written and, where they are wanted, answered as a query of them would be: one statement. */
import type { Catalogue, Column, Table } from './catalogue.ts'
import { conditionSql } from './condition-sql.ts'
import { Builder, bodyOf, type ReadOptions, type Statement } from './read-sql.ts'
import { refusals, refuse } from './refusals.ts'
import type { Selected, TablesQuery } from './request.ts'
import { quoted, quotedTable } from './sql-text.ts'

export interface WriteOptions extends Pick<ReadOptions, 'maxBytes' | 'withoutNulls'> {
  /** Whether the written rows are answered. Those who may not read them can write them all the same, where not. */
  isAnswered: boolean
}

/** Rows whose bodies name the same columns. */
export interface RowsToInsert {
  columns: readonly string[]
  /** A JSON array of objects. */
  json: string
}

export type OnConflict =
  | { kind: 'refuse' }
  /** `target`: its columns; the primary key where absent. */
  | { kind: 'merge' | 'ignore'; target?: readonly string[] | undefined }

export function insertStatement(
  catalogue: Catalogue,
  table: Table,
  query: TablesQuery,
  { rows, onConflict, ...options }: WriteOptions & { rows: readonly RowsToInsert[]; onConflict: OnConflict },
): Statement {
  const builder = new Builder(catalogue, query, Number.MAX_SAFE_INTEGER)
  const inserted = rows.map(({ columns, json }) => {
    const named = columns.map((name) => columnOf(table, name))
    const list = named.map(({ name }) => quoted(name)).join(', ')
    const source =
      named.length === 0
        ? `select from json_array_elements(${builder.values.add(json)}::json)`
        : `select ${list} from json_to_recordset(${builder.values.add(json)}::json) as given(${typed(named)})`
    const into = `insert into ${quotedTable(table)}${named.length === 0 ? '' : ` (${list})`}`
    // Rows without a member get what each column has by default.
    const values = named.length === 0 ? 'default values' : source
    return `${into} ${values} ${conflictSql(table, onConflict, named)} returning ${returned(table, query, options)}`
  })
  return answered(builder, table, query, inserted, options)
}

export function updateStatement(
  catalogue: Catalogue,
  table: Table,
  query: TablesQuery,
  { columns, json, ...options }: WriteOptions & { columns: readonly string[]; json: string },
): Statement {
  const builder = new Builder(catalogue, query, Number.MAX_SAFE_INTEGER)
  const named = columns.map((name) => columnOf(table, name))
  const alias = builder.alias()
  const given = `json_to_record(${builder.values.add(json)}::json) as given(${typed(named)})`
  const set = named.map(({ name }) => `${quoted(name)} = given.${quoted(name)}`).join(', ')
  const where = whereOf(builder, table, alias)
  const text = `update ${quotedTable(table)} as ${alias} set ${set} from ${given} ${where} returning ${returned(table, query, options, alias)}`
  return answered(builder, table, query, [text], options)
}

export function deleteStatement(
  catalogue: Catalogue,
  table: Table,
  query: TablesQuery,
  options: WriteOptions,
): Statement {
  const builder = new Builder(catalogue, query, Number.MAX_SAFE_INTEGER)
  const alias = builder.alias()
  const where = whereOf(builder, table, alias)
  const text = `delete from ${quotedTable(table)} as ${alias} ${where} returning ${returned(table, query, options, alias)}`
  return answered(builder, table, query, [text], options)
}

/** Throws TablesRefused where the table has no such column. */
const columnOf = (table: Table, name: string): Column =>
  table.columns.get(name) ?? refuse(refusals.noColumn(table.name, name))

const typed = (columns: readonly Column[]): string =>
  columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')

function conflictSql(table: Table, onConflict: OnConflict, columns: readonly Column[]): string {
  if (onConflict.kind === 'refuse') return ''
  const target = (onConflict.target ?? table.primaryKey).map((name) => columnOf(table, name).name)
  const on = target.length === 0 ? '' : `(${target.map(quoted).join(', ')})`
  const set = columns.filter(({ name }) => !target.includes(name))
  if (onConflict.kind === 'ignore' || on === '') return `on conflict ${on} do nothing`
  // One column is written at least, so that the row is answered.
  const written = set.length > 0 ? set : columns
  return `on conflict ${on} do update set ${written.map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ')}`
}

function whereOf(builder: Builder, table: Table, alias: string): string {
  const place = builder.place(table, alias)
  const all = builder.narrowing([]).where.map((condition) => conditionSql(place, condition))
  return all.length > 0 ? `where ${all.join(' and ')}` : ''
}

/** Only what is answered: whoever may read some columns alone gets these. */
function returned(
  table: Table,
  { select }: TablesQuery,
  { isAnswered }: WriteOptions,
  alias?: string,
): string {
  if (!isAnswered) return '1'
  const of = (name: string): string => (alias === undefined ? quoted(name) : `${alias}.${quoted(name)}`)
  // Embedded tables are found by foreign keys, which may be any of the columns.
  const isWhole = select.some((one) => one.kind !== 'field')
  const names = isWhole ? [...table.columns.keys()] : [...new Set(select.flatMap(columnsOf))]
  return names.map((name) => of(columnOf(table, name).name)).join(', ')
}

const columnsOf = (one: Selected): string[] => (one.kind === 'field' ? [one.field.column] : [])

/** The written rows stand in for the table, so that what is embedded in them is found as it is for others. */
function answered(
  builder: Builder,
  table: Table,
  query: TablesQuery,
  writes: readonly string[],
  options: WriteOptions,
): Statement {
  const parts = writes.map((sql, nth) => `written${nth} as (${sql})`).join(', ')
  const all = writes.map((_, nth) => `select * from written${nth}`).join(' union all ')
  if (!options.isAnswered) {
    builder.requireAllUsed()
    return {
      text: `with ${parts} select null as body, count(*) as rows from (${all}) as written`,
      values: builder.values.list,
    }
  }
  // Its conditions chose the rows; they may hold no more of what the rows are now.
  const shown = new Map([...query.narrowings].filter(([key]) => key !== '[]'))
  const reader = builder.with({ ...query, narrowings: shown })
  const rows = reader.rows(
    { table, sql: '(select * from written)' },
    { select: query.select, way: [], isPaged: false },
  )
  reader.requireAllUsed()
  const text = `with ${parts}, written as (${all}), ${bodyOf(reader, rows, options).replace(/^with /, '')} from page`
  return { text, values: reader.values.list }
}
