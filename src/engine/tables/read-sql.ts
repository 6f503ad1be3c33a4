/** A query on tables as one statement: rows as JSON, each with the rows that are embedded in it, to any depth. */
import type { Catalogue, Table } from './catalogue.ts'
import { conditionSql, fieldSql, type Place } from './condition-sql.ts'
import { refusals, refuse } from './refusals.ts'
import { type Relationship, relate } from './relationship.ts'
import {
  type Narrowing,
  type Order,
  type Selected,
  type SelectedField,
  type SelectedTable,
  type TablesQuery,
  wayKey,
} from './request.ts'
import { quoted, quotedTable, Values } from './sql-text.ts'

export interface Statement {
  text: string
  values: readonly unknown[]
}

export interface ReadOptions {
  maxRows: number
  maxBytes: number
  isCounted: boolean
  withoutNulls: boolean
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

  /** Rows of one table as a query. `conditions`: more of them, by the alias that it has. */
  rows(
    source: Source,
    {
      select,
      way,
      alias = this.alias(),
      conditions = [],
      isPaged = true,
    }: {
      select: readonly Selected[]
      way: readonly string[]
      alias?: string
      conditions?: readonly string[]
      isPaged?: boolean
    },
  ): string {
    const { table, sql } = source
    const embeds = this.#embeds(table, alias, select, way)
    const place = this.place(table, alias, embeds)
    const { where, order, limit, offset } = this.narrowing(way)
    const all = [
      ...conditions,
      ...embeds.flatMap(({ required }) => required ?? []),
      ...where.map((condition) => conditionSql(place, condition)),
    ]
    const columns = this.#columns(place, select, embeds)
    return [
      `select ${columns.length === 0 ? 'null' : columns.join(', ')} from ${sql} as ${alias}`,
      ...embeds.map(({ join }) => join),
      all.length > 0 ? `where ${all.join(' and ')}` : '',
      order.length > 0 ? `order by ${order.map((one) => this.#order(place, embeds, one)).join(', ')}` : '',
      isPaged ? this.#page(way, limit, offset) : '',
    ]
      .filter((part) => part !== '')
      .join(' ')
  }

  place(table: Table, alias: string, embeds: readonly Embed[] = []): Place {
    const absent = new Map(embeds.map(({ name, absent }) => [name, absent]))
    return { catalogue: this.#catalogue, table, alias, values: this.values, absent }
  }

  #page(way: readonly string[], limit: number | undefined, offset: number): string {
    const isTop = way.length === 0
    const most = isTop ? Math.min(limit ?? this.#maxRows, this.#maxRows) : limit
    const parts = most === undefined ? [] : [`limit ${this.values.add(most)}::bigint`]
    return [...parts, ...(offset > 0 ? [`offset ${this.values.add(offset)}::bigint`] : [])].join(' ')
  }

  #columns(place: Place, select: readonly Selected[], embeds: readonly Embed[]): string[] {
    return select.flatMap((one) => {
      if (one.kind === 'all') return [`${place.alias}.*`]
      if (one.kind === 'field') return [this.#field(place, one)]
      return embeds.find(({ of }) => of === one)?.columns ?? []
    })
  }

  #field(place: Place, { as, field, cast }: SelectedField): string {
    const sql = fieldSql(place, field)
    const type =
      cast === undefined ? undefined : (this.#catalogue.type(cast) ?? refuse(refusals.noType(cast)))
    return `${type === undefined ? sql : `cast(${sql} as ${type})`} as ${quoted(as ?? nameOf(field))}`
  }

  #order(place: Place, embeds: readonly Embed[], { of, field, isDescending, nulls }: Order): string {
    const sql = of === undefined ? fieldSql(place, field) : this.#orderOf(place, embeds, of, field)
    return `${sql} ${isDescending ? 'desc' : 'asc'}${nulls === undefined ? '' : ` nulls ${nulls}`}`
  }

  /** By a column of an embedded table that has one row: it is looked up again, as it need not be selected. */
  #orderOf(place: Place, embeds: readonly Embed[], name: string, field: Order['field']): string {
    const embed = embeds.find((one) => one.name === name) ?? refuse(refusals.notEmbedded(name))
    const { relationship } = embed
    if (!relationship.isOne || relationship.through) refuse(refusals.orderOfMany(name))
    const alias = this.alias()
    const inner = this.place(relationship.table, alias)
    return `(select ${fieldSql(inner, field)} from ${quotedTable(relationship.table)} as ${alias} where ${equal(place.alias, alias, relationship.on)})`
  }

  #embeds(table: Table, alias: string, select: readonly Selected[], way: readonly string[]): Embed[] {
    return select
      .filter((one): one is SelectedTable => one.kind === 'embed')
      .map((one) => this.#embed(table, alias, one, way))
  }

  #embed(table: Table, outer: string, of: SelectedTable, way: readonly string[]): Embed {
    const relationship = relate(this.#catalogue, table, of)
    const name = of.as ?? of.target
    const [alias, joined] = [this.alias(), this.alias()]
    const rows = this.rows(
      { table: relationship.table, sql: quotedTable(relationship.table) },
      {
        select: of.select,
        way: [...way, name],
        alias,
        conditions: joinConditions(relationship, outer, alias),
      },
    )
    if (of.isSpread) return spread(of, { relationship, name, joined, rows })
    return relationship.isOne
      ? one(of, { relationship, name, joined, rows })
      : many(of, { relationship, name, joined, rows })
  }
}

interface Embed {
  of: SelectedTable
  name: string
  relationship: Relationship
  join: string
  columns: string[]
  /** What has to hold of the row around it. */
  required?: string | undefined
  /** Says that there is no related row. */
  absent: string
}

interface Joined {
  relationship: Relationship
  name: string
  joined: string
  rows: string
}

function one(of: SelectedTable, { relationship, name, joined, rows }: Joined): Embed {
  const join = of.isInner ? 'inner join' : 'left join'
  return {
    ...{ of, name, relationship },
    join: `${join} lateral (select row_to_json(${joined}r.*) as one from (${rows}) as ${joined}r limit 1) as ${joined} on true`,
    columns: of.select.length === 0 ? [] : [`${joined}.one as ${quoted(name)}`],
    absent: `(${joined}.one is null)`,
  }
}

function many(of: SelectedTable, { relationship, name, joined, rows }: Joined): Embed {
  return {
    ...{ of, name, relationship },
    join: `left join lateral (select coalesce(json_agg(${joined}r.*), '[]') as many, count(*) as number from (${rows}) as ${joined}r) as ${joined} on true`,
    columns: of.select.length === 0 ? [] : [`${joined}.many as ${quoted(name)}`],
    required: of.isInner ? `${joined}.number > 0` : undefined,
    absent: `(${joined}.number = 0)`,
  }
}

/** Only of one row: of several there would be several values for each column. */
function spread(of: SelectedTable, { relationship, name, joined, rows }: Joined): Embed {
  if (!relationship.isOne) refuse(refusals.spreadOfMany(name))
  return {
    ...{ of, name, relationship },
    join: `${of.isInner ? 'inner' : 'left'} join lateral (select ${joined}r.*, true as ${quoted(`${joined} is there`)} from (${rows}) as ${joined}r) as ${joined} on true`,
    columns: of.select.flatMap((one) => spreadColumn(one, relationship.table, joined)),
    absent: `(${joined}.${quoted(`${joined} is there`)} is null)`,
  }
}

function spreadColumn(one: Selected, table: Table, joined: string): string[] {
  if (one.kind === 'all') return [...table.columns.keys()].map((name) => `${joined}.${quoted(name)}`)
  const name = one.kind === 'field' ? (one.as ?? nameOf(one.field)) : (one.as ?? one.target)
  return [`${joined}.${quoted(name)}`]
}

/** The last name within; a place in an array has none. */
const nameOf = ({ column, path }: SelectedField['field']): string =>
  path.findLast((step) => !/^-?\d+$/.test(step)) ?? column

const equal = (outer: string, inner: string, on: Relationship['on']): string =>
  on.map(([first, second]) => `${outer}.${quoted(first)} = ${inner}.${quoted(second)}`).join(' and ')

function joinConditions({ on, through }: Relationship, outer: string, alias: string): string[] {
  if (!through) return [equal(outer, alias, on)]
  const between = `${alias}b`
  return [
    `exists (select from ${quotedTable(through.table)} as ${between} where ${equal(outer, between, through.on)} and ${equal(between, alias, on)})`,
  ]
}

/** `body`: null where it would be too large; `rows`; `total`: of all pages, where it is counted. */
export function readStatement(
  catalogue: Catalogue,
  table: Table,
  query: TablesQuery,
  options: ReadOptions,
): Statement {
  const builder = new Builder(catalogue, query, options.maxRows)
  const source = { table, sql: quotedTable(table) }
  const rows = builder.rows(source, { select: query.select, way: [] })
  builder.requireAllUsed()
  const total = options.isCounted
    ? `(select count(*) from (${builder.rows(source, { select: query.select, way: [], isPaged: false })}) as all_rows)`
    : 'null'
  const text = `${bodyOf(builder, rows, options)}, ${total} as total from page`
  return { text, values: builder.values.list }
}

/** Selects `body` and `rows` of a page of rows. */
export function bodyOf(
  builder: Builder,
  rows: string,
  { maxBytes, withoutNulls }: Pick<ReadOptions, 'maxBytes' | 'withoutNulls'>,
): string {
  const json = withoutNulls ? 'json_strip_nulls(row_to_json(rows.*))' : 'row_to_json(rows.*)'
  const max = builder.values.add(maxBytes)
  return `with page as (select ${json}::text as json from (${rows}) as rows)
select case when coalesce(sum(octet_length(json)), 0) <= ${max}::bigint then coalesce(string_agg(json, ','), '') end as body, count(*) as rows`
}
