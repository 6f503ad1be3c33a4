/** A query on tables as one statement: rows as JSON, each with the rows that are embedded in it, to any depth. */
import type { Statement } from '#engine/databases'
import type { Answers } from './batch.ts'
import type { Catalogue, Table } from './catalogue.ts'
import { conditionSql, fieldSql, type Place } from './condition-sql.ts'
import { refusals, refuse } from './refusals.ts'
import { type Relationship, relate } from './relationship.ts'
import {
  type Condition,
  type Narrowing,
  type Order,
  type Selected,
  type SelectedField,
  type SelectedTable,
  type TablesQuery,
  wayKey,
} from './request.ts'
import { chosenName, operator, quoted, quotedTable, Values } from './sql-text.ts'

export interface ReadOptions {
  maxRows: number
  maxBytes: number
  /** `estimated`: exact up to `maxRows`, beyond them as PostgreSQL plans. */
  count?: 'exact' | 'planned' | 'estimated' | undefined
  withoutNulls: boolean
  isCsv?: boolean | undefined
}

/** Of rows that a statement before it has written, their table is one of that statement. */
export interface Source {
  table: Table
  /** What stands behind `from`. */
  sql: string
}

const nothing: Narrowing = { where: [], order: [], offset: 0 }

/** Builds the parts of one statement. */
export class Builder {
  readonly values: Values
  readonly #catalogue: Catalogue
  readonly #query: TablesQuery
  readonly #maxRows: number
  /** Ways whose narrowings were used. */
  readonly #used = new Set<string>()
  #aliases = 0

  constructor(catalogue: Catalogue, query: TablesQuery, maxRows: number, values = new Values()) {
    this.values = values
    this.#catalogue = catalogue
    this.#query = query
    this.#maxRows = maxRows
  }

  /** For another query in the same statement. */
  with(query: TablesQuery): Builder {
    const other = new Builder(this.#catalogue, query, this.#maxRows, this.values)
    other.#aliases = this.#aliases
    return other
  }

  alias(): string {
    return `t${++this.#aliases}`
  }

  narrowing(way: readonly string[]): Narrowing {
    const key = wayKey(way)
    this.#used.add(key)
    return this.#query.narrowings.get(key) ?? nothing
  }

  /** Throws where something is narrowed that is selected nowhere. */
  requireAllUsed(): void {
    for (const key of this.#query.narrowings.keys())
      if (!this.#used.has(key)) refuse(refusals.notEmbedded((JSON.parse(key) as string[]).join('.')))
  }

  rows(source: Source, options: RowsOptions): string {
    return this.shape(source, options).sql
  }

  /** Rows of one table as a query, and the names of its columns. */
  shape(source: Source, options: RowsOptions): Shaped {
    const { select, way, alias = this.alias(), conditions = [], isCounted = false } = options
    const { table, sql } = source
    const narrowing = this.narrowing(way)
    // Rows that are only counted need no related ones but those that decide whether they count.
    const decides = (one: SelectedTable): boolean =>
      one.isInner || isNamed(narrowing.where, one.as ?? one.target)
    const embeds = select
      .filter((one): one is SelectedTable => one.kind === 'embed')
      .filter((one) => !isCounted || decides(one))
      .map((one) => this.#embed(table, alias, one, way))
    const place = this.place(table, alias, embeds)
    const all = [...conditions, ...embeds.flatMap(({ required }) => required ?? [])]
    const columns = isCounted ? [] : this.#columns(place, select, embeds)
    const parts = [
      `select ${columns.map((column) => column.sql).join(', ')} from ${sql} as ${alias}`,
      ...embeds.map(({ join }) => join),
      this.where(place, narrowing, all),
      isCounted ? '' : this.orderAndPage(place, narrowing, { embeds, page: options.page ?? 'capped' }),
    ]
    return {
      sql: parts.filter((part) => part !== '').join(' '),
      names: columns.flatMap(({ names }) => names),
    }
  }

  /** `where …`, or nothing. */
  where(place: Place, { where }: Narrowing, conditions: readonly string[] = []): string {
    const all = [...conditions, ...where.map((condition) => conditionSql(place, condition))]
    return all.length > 0 ? `where ${all.join(' and ')}` : ''
  }

  orderAndPage(
    place: Place,
    narrowing: Narrowing,
    { embeds = [], page }: { embeds?: readonly Embed[]; page: Page },
  ): string {
    const order = narrowing.order.map((one) => this.#order(place, embeds, one)).join(', ')
    return `${order === '' ? '' : `order by ${order} `}${this.#page(narrowing, page)}`
  }

  place(table: Table, alias: string, embeds: readonly Embed[] = []): Place {
    const absent = new Map(embeds.map(({ name, absent }) => [name, absent]))
    return { catalogue: this.#catalogue, table, alias, values: this.values, absent }
  }

  #page({ limit, offset }: Narrowing, page: Page): string {
    if (page === 'none') return ''
    const most = page === 'given' ? limit : Math.min(limit ?? this.#maxRows, this.#maxRows)
    const parts = most === undefined ? [] : [`limit ${this.values.add(most)}::int8`]
    return [...parts, ...(offset > 0 ? [`offset ${this.values.add(offset)}::int8`] : [])].join(' ')
  }

  #columns(place: Place, select: readonly Selected[], embeds: readonly Embed[]): SqlColumns[] {
    return select.flatMap((one): SqlColumns[] => {
      if (one.kind === 'all') return [{ sql: `${place.alias}.*`, names: [...place.table.columns.keys()] }]
      if (one.kind === 'field') return [this.#field(place, one)]
      return embeds.find(({ of }) => of === one)?.columns ?? []
    })
  }

  #field(place: Place, { as, field, cast }: SelectedField): SqlColumns {
    const sql = this.#isNumberOfRows(place, field) ? 'pg_catalog.count(*)' : fieldSql(place, field)
    const type =
      cast === undefined ? undefined : (this.#catalogue.type(cast) ?? refuse(refusals.noType(cast)))
    const name = as === undefined && field.path.length === 0 ? field.column : chosenName(as ?? nameOf(field))
    return {
      sql: `${type === undefined ? sql : `cast(${sql} as ${type})`} as ${quoted(name)}`,
      names: [name],
    }
  }

  /** `select('…, items(count)')`: in clients of the field the name stands for the number of rows where no column has it. */
  #isNumberOfRows({ table }: Place, { column, path }: SelectedField['field']): boolean {
    return (
      column === 'count' &&
      path.length === 0 &&
      !table.columns.has(column) &&
      !this.#catalogue.computed(table, column)
    )
  }

  #order(place: Place, embeds: readonly Embed[], { of, field, isDescending, nulls }: Order): string {
    const sql = of === undefined ? fieldSql(place, field) : this.#orderOf(place, embeds, of, field)
    return `${sql} ${isDescending ? 'desc' : 'asc'}${nulls === undefined ? '' : ` nulls ${nulls}`}`
  }

  /** By a column of an embedded table that has one row: it is looked up again, as it need not be selected. */
  #orderOf(place: Place, embeds: readonly Embed[], name: string, field: Order['field']): string {
    const embed = embeds.find((one) => one.name === name) ?? refuse(refusals.notEmbedded(name))
    const { relationship } = embed
    if (!relationship.isOne) refuse(refusals.orderOfMany(name))
    const alias = this.alias()
    const inner = this.place(relationship.table, alias)
    const joined = joinConditions(relationship, place.alias, alias)
    const where = joined.length === 0 ? '' : ` where ${joined.join(' and ')}`
    return `(select ${fieldSql(inner, field)} from ${relatedSql(relationship, place.alias)} as ${alias}${where} limit 1)`
  }

  #embed(table: Table, outer: string, of: SelectedTable, way: readonly string[]): Embed {
    const relationship = relate(this.#catalogue, table, of)
    const name = of.as === undefined ? of.target : chosenName(of.as)
    const [alias, joined] = [this.alias(), this.alias()]
    const { kind, isOne } = relationship
    const { sql, names } = this.shape(
      { table: relationship.table, sql: relatedSql(relationship, outer) },
      {
        select: of.select,
        way: [...way, name],
        alias,
        conditions: joinConditions(relationship, outer, alias),
        // Of one row nothing is cut: without a limit PostgreSQL may join the two tables in whatever order is best.
        page: isOne && kind !== 'computed' ? 'given' : 'capped',
      },
    )
    const parts = { of, relationship, name, joined, rows: sql, names }
    if (of.isSpread) return isOne ? spreadOne(parts) : spreadMany(parts)
    return isOne ? one(parts) : many(parts)
  }
}

/** Some columns of a statement, and their names. */
interface SqlColumns {
  sql: string
  names: readonly string[]
}

export interface Shaped {
  sql: string
  names: readonly string[]
}

/** `given`: only what the request says; `capped`: never more than the most that are answered. */
type Page = 'capped' | 'given' | 'none'

interface RowsOptions {
  select: readonly Selected[]
  way: readonly string[]
  alias?: string
  /** More of them, by the alias that the table has. */
  conditions?: readonly string[]
  page?: Page
  /** Only their number matters. */
  isCounted?: boolean
}

interface Embed {
  of: SelectedTable
  name: string
  relationship: Relationship
  join: string
  columns: SqlColumns[]
  /** What has to hold of the row around it. */
  required?: string | undefined
  /** Says that there is no related row. */
  absent: string
}

interface EmbedParts {
  of: SelectedTable
  relationship: Relationship
  name: string
  joined: string
  rows: string
  names: readonly string[]
}

const embedColumns = (of: SelectedTable, name: string, sql: string): SqlColumns[] =>
  of.select.length === 0 ? [] : [{ sql: `${sql} as ${quoted(name)}`, names: [name] }]

function one({ of, relationship, name, joined, rows }: EmbedParts): Embed {
  const limit = relationship.kind === 'computed' ? ' limit 1' : ''
  return {
    ...{ of, name, relationship },
    join: `${joinOf(of)} (select pg_catalog.row_to_json(${joined}r.*) as one from (${rows}) as ${joined}r${limit}) as ${joined} on true`,
    columns: embedColumns(of, name, `${joined}.one`),
    absent: `(${joined}.one is null)`,
  }
}

function many({ of, relationship, name, joined, rows }: EmbedParts): Embed {
  return {
    ...{ of, name, relationship },
    join: `left join lateral (select coalesce(pg_catalog.json_agg(${joined}r.*), '[]') as many, pg_catalog.count(*) as number from (${rows}) as ${joined}r) as ${joined} on true`,
    columns: embedColumns(of, name, `${joined}.many`),
    required: of.isInner ? `${joined}.number ${operator('>')} 0` : undefined,
    absent: `(${joined}.number ${operator('=')} 0)`,
  }
}

const joinOf = ({ isInner }: SelectedTable): string => `${isInner ? 'inner' : 'left'} join lateral`

/** Each of its columns as one of the row around it. */
const spreadColumns = (joined: string, names: readonly string[]): SqlColumns[] =>
  names.map((name) => ({ sql: `${joined}.${quoted(name)}`, names: [name] }))

/** A column beside those of a row. */
const presence = (joined: string): string => quoted(`${joined} is there`)

function spreadOne({ of, relationship, name, joined, rows, names }: EmbedParts): Embed {
  return {
    ...{ of, name, relationship },
    join: `${joinOf(of)} (select ${joined}r.*, true as ${presence(joined)} from (${rows}) as ${joined}r) as ${joined} on true`,
    columns: spreadColumns(joined, names),
    absent: `(${joined}.${presence(joined)} is null)`,
  }
}

/** Each of its columns as an array of all of them. */
function spreadMany({ of, relationship, name, joined, rows, names }: EmbedParts): Embed {
  const arrays = names.map(
    (column) => `coalesce(pg_catalog.json_agg(${joined}r.${quoted(column)}), '[]') as ${quoted(column)}`,
  )
  return {
    ...{ of, name, relationship },
    join: `left join lateral (select ${[...arrays, `pg_catalog.count(*) as ${presence(joined)}`].join(', ')} from (${rows}) as ${joined}r) as ${joined} on true`,
    columns: spreadColumns(joined, names),
    required: of.isInner ? `${joined}.${presence(joined)} ${operator('>')} 0` : undefined,
    absent: `(${joined}.${presence(joined)} ${operator('=')} 0)`,
  }
}

/** Whether a condition asks if there are rows of this embedded table. */
const isNamed = (conditions: readonly Condition[], name: string): boolean =>
  conditions.some((condition) => {
    if (condition.kind === 'and' || condition.kind === 'or') return isNamed(condition.of, name)
    if (condition.kind === 'not') return isNamed([condition.of], name)
    return condition.kind === 'is' && condition.field.column === name
  })

/** The last name within; a place in an array has none. */
const nameOf = ({ column, path }: SelectedField['field']): string =>
  path.findLast((step) => !/^-?\d+$/.test(step)) ?? column

interface Side {
  table: Table
  alias: string
}

const equal = (outer: string, inner: Side, on: Relationship['on']): string =>
  on
    .map(([first, second]) => {
      const equals = operator('=', inner.table.columns.get(second)?.operators)
      return `${outer}.${quoted(first)} ${equals} ${inner.alias}.${quoted(second)}`
    })
    .join(' and ')

/** The related table, or the rows that a function of the app returns for a row. */
const relatedSql = ({ table, by }: Relationship, outer: string): string =>
  by ? `${quotedTable(by)}(${outer})` : quotedTable(table)

function joinConditions({ on, through, by, table }: Relationship, outer: string, alias: string): string[] {
  if (by) return []
  if (!through) return [equal(outer, { table, alias }, on)]
  const between = { table: through.table, alias: `${alias}b` }
  return [
    `exists (select from ${quotedTable(through.table)} as ${between.alias} where ${equal(outer, between, through.on)} and ${equal(between.alias, { table, alias }, on)})`,
  ]
}

/** What a statement of rows answers. */
export interface ReadAnswer {
  /** Rows as text, without the brackets around them; undefined where they have too many bytes. */
  body: string | undefined
  rows: number
  /** Of all pages, where they are counted. */
  total: number | undefined
  /** Of the columns. */
  names: readonly string[]
}

export interface ReadPlan {
  statements: readonly Statement[]
  answer(rows: Answers): ReadAnswer
}

/** Throws TablesRefused. */
export function readPlan(
  catalogue: Catalogue,
  table: Table,
  query: TablesQuery,
  options: ReadOptions,
): ReadPlan {
  const { count, maxRows } = options
  const builder = new Builder(catalogue, query, maxRows)
  const source = { table, sql: quotedTable(table) }
  const page = builder.shape(source, { select: query.select, way: [] })
  builder.requireAllUsed()
  const counted = (): string => builder.rows(source, { select: query.select, way: [], isCounted: true })
  const all = count === 'exact' ? counted() : count === 'estimated' ? `${counted()} limit ${maxRows + 1}` : ''
  const total = all === '' ? 'null' : `(select pg_catalog.count(*) from (${all}) as all_rows)`
  const text = `with ${bodyOf(builder, page.sql, options)}, ${total} as total from page`
  const statements: Statement[] = [{ text, values: builder.values.list }]
  if (count === 'planned' || count === 'estimated') statements.push(planStatement(catalogue, source, query))
  return { statements, answer: (answers) => readAnswer(answers, page.names, options) }
}

/** How many rows PostgreSQL expects. */
function planStatement(catalogue: Catalogue, source: Source, query: TablesQuery): Statement {
  const builder = new Builder(catalogue, query, Number.MAX_SAFE_INTEGER)
  const rows = builder.rows(source, { select: query.select, way: [], isCounted: true })
  return { text: `explain (format json) ${rows}`, values: builder.values.list }
}

export function readAnswer(
  answers: Answers,
  names: readonly string[],
  { count, maxRows }: ReadOptions,
): ReadAnswer {
  const [body, rows, total] = answers[0]![0]!
  const counted = total === null || total === undefined ? undefined : Number(total)
  const isPlanned = count === 'planned' || (count === 'estimated' && counted! > maxRows)
  const planned = isPlanned ? plannedRows(answers[1]![0]![0]!) : 0
  return {
    body: body ?? undefined,
    rows: Number(rows),
    total: isPlanned ? Math.max(planned, counted ?? 0) : counted,
    names,
  }
}

const plannedRows = (text: string): number => {
  const [{ Plan: plan }] = JSON.parse(text) as [{ Plan: { 'Plan Rows': number } }]
  return plan['Plan Rows']
}

/**
 * What stands behind `with`: selects `body` and `rows` of a page of rows; `body` is null where it has too many bytes. `value`: what of each
 * row is answered, where it is not the whole row as an object.
 */
export function bodyOf(
  builder: Builder,
  rows: string,
  { maxBytes, withoutNulls, isCsv }: Pick<ReadOptions, 'maxBytes' | 'withoutNulls' | 'isCsv'>,
  value?: string,
): string {
  const whole = value === undefined ? 'pg_catalog.row_to_json(rows.*)' : `pg_catalog.to_json(${value})`
  const json = withoutNulls ? `pg_catalog.json_strip_nulls(${whole})` : whole
  // A row as text stands in parentheses, and otherwise is a line of CSV.
  const one = isCsv
    ? 'pg_catalog.left(pg_catalog.right((rows.*)::pg_catalog.text, -1), -1)'
    : `coalesce(${json}::pg_catalog.text, 'null')`
  const bytes = 'coalesce(pg_catalog.sum(pg_catalog.octet_length(one)), 0::int8)'
  const lines = `pg_catalog.string_agg(one, ${isCsv ? "E'\\n'" : "','"})`
  return `page as (select ${one} as one from (${rows}) as rows)
select case when ${bytes} ${operator('<=')} ${builder.values.add(maxBytes)}::int8 then coalesce(${lines}, '') end as body, pg_catalog.count(*) as rows`
}
