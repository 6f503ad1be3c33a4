/** Writes rows and, where they are wanted, answers them as a query of them would: one statement. */
import type { BoundStatement } from '#cloud/databases'
import type { BatchAnswers } from './batch.ts'
import type { Catalogue, Column, DatabaseTable } from './catalogue.ts'
import { bodyOf, type ReadOptions } from './read-sql.ts'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'
import { findRelationship } from './relationship.ts'
import { embedPathKey, type SelectedItem, type TableFilter, type TablesQuery } from './request.ts'
import { Builder } from './rows-sql.ts'
import { operator, quoted, quotedTable } from './sql-text.ts'
import { conflictSql, type OnConflict, requireKey } from './upsert-sql.ts'

export interface WriteOptions extends Pick<ReadOptions, 'maxBytes' | 'withoutNulls' | 'isCsv'> {
  /** `rows`: the written rows as `select` has them; `location`: the row key of one; `nothing`: for callers that may write but not read. */
  answer: 'rows' | 'location' | 'nothing'
}

export interface WriteAnswer {
  /** The rows as text, as in the answer of a read. */
  body: string | undefined
  rows: number
  names: readonly string[]
  /** Columns and values of the row key of a row; empty where the key is not wanted, or there is none. */
  location: readonly (readonly [column: string, value: string])[]
}

export interface WritePlan {
  statements: readonly BoundStatement[]
  answer(answers: BatchAnswers): WriteAnswer
}

/** The rows that a body gives. */
export interface GivenRows {
  /** The columns that are written, each with the name of the member that has its values. */
  members: ReadonlyMap<string, string>
  /** A JSON array of objects: PostgreSQL reads each value as the type of its column. */
  json: string
  /** The number of rows. */
  number: number
  /** True where a column that a row does not name gets its default, not null. */
  usesDefaults: boolean
}

/** The statement that inserts rows. All plans here throw RestRefused. */
export function insertPlan(
  catalogue: Catalogue,
  table: DatabaseTable,
  query: TablesQuery,
  { rows, onConflict, ...options }: WriteOptions & { rows: GivenRows; onConflict: OnConflict },
): WritePlan {
  const writing = new WriteBuilder(catalogue, table, query, options)
  const columns = writing.columnsNamed([...rows.members.keys()])
  const { clause, condition } = conflictSql(table, writing.columnsNamed, onConflict, columns)
  const inputRowsSql =
    columns.length > 0 ? inserted(writing.inputSql(columns, rows), condition) : writing.defaults(rows.number)
  return writing.insertPlan(inputRowsSql, clause)
}

/** The statement that puts the one row that the query names by its primary key: the row is inserted, or gets the given values. */
export function putPlan(
  catalogue: Catalogue,
  table: DatabaseTable,
  query: TablesQuery,
  { rows, ...options }: WriteOptions & { rows: GivenRows },
): WritePlan {
  const writing = new WriteBuilder(catalogue, table, query, options)
  const key = requireKey(table, query)
  if (!table.rowKey.every((name) => rows.members.has(name))) refuse(refusals.putKey)
  const columns = writing.columnsNamed([...rows.members.keys()])
  const { clause, condition } = conflictSql(table, writing.columnsNamed, { kind: 'merge' }, columns)
  const { cells, from } = writing.inputSql(columns, { ...rows, usesDefaults: false })
  const same = key.map(([name, value]) => {
    const { column, sql } = cells.find((one) => one.column.name === name)!
    return `${sql} ${operator('=', column.operators)} ${writing.builder.values.add(value)}`
  })
  const named = `(select given.* from ${from} where ${same.join(' and ')} limit 1) as given`
  const plan = writing.insertPlan(inserted({ cells, from: named, order: '' }, condition), clause)
  return {
    statements: plan.statements,
    answer(answers) {
      const answer = plan.answer(answers)
      return answer.rows === 1 ? answer : refuse(refusals.putKey)
    },
  }
}

export function updatePlan(
  catalogue: Catalogue,
  table: DatabaseTable,
  query: TablesQuery,
  { rows, ...options }: WriteOptions & { rows: GivenRows },
): WritePlan {
  const writing = new WriteBuilder(catalogue, table, query, options)
  const columns = writing.columnsNamed([...rows.members.keys()])
  const alias = writing.builder.alias()
  // There is nothing to change: no row counts as changed.
  if (columns.length === 0)
    return writing.plan(
      `select ${writing.returned(alias)} from ${quotedTable(table)} as ${alias} where false`,
    )
  const { cells, from } = writing.inputSql(columns, rows)
  const set = cells.map(({ column, sql }) => `${quoted(column.name)} = ${sql}`).join(', ')
  return writing.targetRowsPlan(
    alias,
    (using) => `update ${quotedTable(table)} as ${alias} set ${set} from ${[from, ...using].join(', ')}`,
  )
}

export function deletePlan(
  catalogue: Catalogue,
  table: DatabaseTable,
  query: TablesQuery,
  options: WriteOptions,
): WritePlan {
  const writing = new WriteBuilder(catalogue, table, query, options)
  const alias = writing.builder.alias()
  return writing.targetRowsPlan(alias, (using) => {
    const from = using.length > 0 ? `using ${using.join(', ')}` : ''
    return `delete from ${quotedTable(table)} as ${alias} ${from}`
  })
}

/** A value for a column, as SQL. */
interface Cell {
  column: Column
  sql: string
}

interface InputSql {
  cells: readonly Cell[]
  /** The SQL behind `from`. */
  from: string
  /** The clause that keeps the order of the body; empty where it is not needed. */
  order: string
}

const inserted = ({ cells, from, order }: InputSql, condition: string): string =>
  `(${cells.map(({ column }) => quoted(column.name)).join(', ')}) select ${cells.map(({ sql }) => sql).join(', ')} from ${from} ${condition === '' ? '' : `where ${condition} `}${order}`

const rootFilterKey = embedPathKey([])

/** Builds the parts of a statement that writes into one table. */
class WriteBuilder {
  readonly table: DatabaseTable
  readonly builder: Builder
  readonly #catalogue: Catalogue
  readonly #query: TablesQuery
  readonly #options: WriteOptions
  /** Statements that have to stand before the one that writes. */
  readonly #before: string[] = []

  constructor(catalogue: Catalogue, table: DatabaseTable, query: TablesQuery, options: WriteOptions) {
    this.table = table
    this.builder = new Builder(catalogue, query, Number.MAX_SAFE_INTEGER)
    this.#catalogue = catalogue
    this.#query = query
    this.#options = options
  }

  readonly columnsNamed = (names: readonly string[]): Column[] =>
    names.map((name) => this.table.columns.get(name) ?? refuse(refusals.noColumn(this.table.name, name)))

  /** Values of the named columns, read by PostgreSQL as their types. */
  inputSql(columns: readonly Column[], { json, members, usesDefaults }: GivenRows): InputSql {
    const memberOf = ({ name }: Column): string => members.get(name)!
    const types = columns.map((column) => `${quoted(memberOf(column))} ${column.type}`).join(', ')
    const body = this.builder.values.add(json)
    const own = (column: Column): string => `given.${quoted(memberOf(column))}`
    if (!usesDefaults || columns.every((column) => column.default === null))
      return {
        cells: columns.map((column) => ({ column, sql: own(column) })),
        from: `pg_catalog.json_to_recordset(${body}::pg_catalog.json) as given(${types})`,
        order: '',
      }
    return {
      cells: columns.map((column) => ({
        column,
        sql: this.#orDefault(column, memberOf(column), own(column)),
      })),
      from: `pg_catalog.jsonb_array_elements(${body}::pg_catalog.jsonb) with ordinality as element(members, place), lateral pg_catalog.jsonb_to_record(element.members) as given(${types})`,
      order: 'order by element.place',
    }
  }

  #orDefault(column: Column, member: string, own: string): string {
    if (column.default === null) return own
    const isNamed = `pg_catalog.jsonb_exists(element.members, ${this.builder.values.add(member)}::pg_catalog.text)`
    return `case when ${isNamed} then ${own} else cast(${column.default} as ${column.type}) end`
  }

  /** Gives this many rows that name no column. */
  defaults(number: number): string {
    return `select from pg_catalog.generate_series(1, ${this.builder.values.add(number)}::int)`
  }

  /** The plan of an insertion; `inputRowsSql` stands behind the name of the table, and `conflict` behind the rows. */
  insertPlan(inputRowsSql: string, conflict: string): WritePlan {
    const into = `insert into ${quotedTable(this.table)} ${inputRowsSql} ${conflict}`
    return this.plan(`${into} returning ${this.returned()}`)
  }

  /** The plan of a change of existing rows; `statement` is what stands before its condition, with further sources of rows. */
  targetRowsPlan(alias: string, statement: (using: readonly string[]) => string): WritePlan {
    const returned = this.returned(alias)
    const { using, where } = this.#targetRowsSql(alias)
    return this.plan(`${statement(using)} ${where} returning ${returned}`)
  }

  /** The condition for the rows that are written. Where only some of the matching rows are, they are chosen and locked first, in order. */
  #targetRowsSql(alias: string): { using: string[]; where: string } {
    const filter = this.builder.filterOf([])
    const { limit, offset } = filter
    if (limit === undefined && offset === 0)
      return { using: [], where: this.builder.where(this.builder.scopeOf(this.table, alias), filter) }
    const scope = this.builder.scopeOf(this.table, this.builder.alias())
    const keys = this.#keys()
    const columns = keys.map(({ sql }, nth) => `${scope.alias}.${sql} as key${nth}`).join(', ')
    const where = this.builder.where(scope, filter)
    const page = this.builder.orderAndPage(scope, filter, { page: 'given' })
    this.#before.push(
      `chosen as materialized (select ${columns} from ${quotedTable(this.table)} as ${scope.alias} ${where} ${page} for update of ${scope.alias})`,
    )
    const same = keys.map(({ sql, equals }, nth) => `${alias}.${sql} ${equals} chosen.key${nth}`)
    return { using: ['chosen'], where: `where ${same.join(' and ')}` }
  }

  /** The columns that distinguish rows: the row key, or of a table without one the place where each row lies. Rows of views lie nowhere. */
  #keys(): { sql: string; equals: string }[] {
    const { rowKey, isView, name } = this.table
    if (rowKey.length === 0 && isView) refuse(refusals.pageOfView(name))
    if (rowKey.length === 0) return ['tableoid', 'ctid'].map((sql) => ({ sql, equals: operator('=') }))
    return this.columnsNamed(rowKey).map((column) => ({
      sql: quoted(column.name),
      equals: operator('=', column.operators),
    }))
  }

  /** The columns to return: only those that are answered, since a caller may be allowed to read these alone. */
  returned(alias?: string): string {
    const names = this.#options.answer === 'nothing' ? [] : this.#answeredColumns()
    if (names.length === 0) return '1 as one'
    return names.map((name) => (alias === undefined ? quoted(name) : `${alias}.${quoted(name)}`)).join(', ')
  }

  #answeredColumns(): string[] {
    if (this.#options.answer === 'location') return [...this.table.rowKey]
    const { select } = this.#query
    if (select.some(({ kind }) => kind === 'all')) return [...this.table.columns.keys()]
    const ordered = this.builder
      .filterOf([])
      .order.flatMap(({ of, field }) => (of === undefined ? [field.column] : []))
    const names = [...select.flatMap((one) => this.#columnsFor(one)), ...ordered]
    return this.columnsNamed([...new Set(names)]).map(({ name }) => name)
  }

  /** The columns that a member of `select` needs. Related rows are found by columns of this table. */
  #columnsFor(one: SelectedItem): string[] {
    if (one.kind === 'all') return []
    if (one.kind === 'field') return [one.field.column]
    const { on, through } = findRelationship(this.#catalogue, this.table, one)
    return (through?.on ?? on).map(([outer]) => outer)
  }

  /** The plan of a statement that answers `body`, `rows` and `location`. */
  plan(sql: string): WritePlan {
    const parts = [...this.#before, `written as (${sql})`].join(', ')
    const { answer } = this.#options
    if (answer === 'rows') return this.#answered(parts)
    // An insert uses no conditions, so they count as used.
    this.builder.filterOf([])
    this.builder.requireAllUsed()
    const isLocated = answer === 'location' && this.table.rowKey.length > 0
    const keys = this.table.rowKey.map((name) => `written.${quoted(name)}::pg_catalog.text`).join(', ')
    const location = isLocated
      ? `(select pg_catalog.json_build_array(${keys})::pg_catalog.text from written limit 1)`
      : 'null'
    const text = `with ${parts} select null as body, pg_catalog.count(*) as rows, ${location} as location from written`
    return this.#planOf({ text, values: this.builder.values.list }, [])
  }

  /** Answers the written rows. They stand in for the table, so that rows embedded in them are found as they are for others. */
  #answered(parts: string): WritePlan {
    // The conditions have chosen the rows, which may no longer meet them as they are now.
    const { order } = this.builder.filterOf([])
    const shown: TableFilter = { where: [], order, offset: 0 }
    const filters = new Map([...this.#query.filters, [rootFilterKey, shown]])
    const reader = this.builder.forQuery({ ...this.#query, filters })
    const source = { table: this.table, sql: '(select * from written)' }
    const { sql, names } = reader.rowsQuery(source, {
      select: this.#query.select,
      embedPath: [],
      page: 'none',
    })
    reader.requireAllUsed()
    const text = `with ${parts}, ${bodyOf(reader, sql, this.#options)}, null as location from page`
    return this.#planOf({ text, values: reader.values.list }, names)
  }

  #planOf(statement: BoundStatement, names: readonly string[]): WritePlan {
    const { rowKey } = this.table
    return {
      statements: [statement],
      answer(answers) {
        const [body, rows, location] = answers[0]![0]!
        const keys = location ? (JSON.parse(location) as string[]) : []
        return {
          body: body ?? undefined,
          rows: Number(rows),
          names,
          location: keys.map((value, place) => [rowKey[place]!, value] as const),
        }
      },
    }
  }
}
