/** Rows of a table as SQL, each with the rows that are embedded in it, to any depth. */
import type { Catalogue, Table } from './catalogue.ts'
import { conditionSql, fieldSql, type Place } from './condition-sql.ts'
import { type Embed, embedOf, isNamed, joinConditions, relatedSql, type SqlColumns } from './embed-sql.ts'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'
import { relate } from './relationship.ts'
import {
  type Narrowing,
  type Order,
  type Selected,
  type SelectedField,
  type SelectedTable,
  type TablesQuery,
  wayKey,
} from './request.ts'
import { chosenName, quoted, Values } from './sql-text.ts'

/** What rows are read from: a table, or rows of that table which an earlier part of the statement has written or returned. */
export interface Source {
  table: Table
  /** The SQL behind `from`. */
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

  /** A builder for another query in the same statement. */
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

  /** Throws RestRefused where a table is narrowed that is selected nowhere. */
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
    // Rows that are only counted need no related rows but those that decide whether they count.
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

  /** The text `where …`; empty where there are no conditions. */
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

  /** Whether a field stands for the number of rows, as `select('…, items(count)')` does in clients of the field where no column has this name. */
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

  /** The column of an embedded table that has one row, for an order. It is looked up again, as it need not be selected. */
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
        // Where there is one row, nothing is cut: without a limit PostgreSQL may join the two tables in whatever order is best.
        page: isOne && kind !== 'computed' ? 'given' : 'capped',
      },
    )
    return embedOf({ of, relationship, name, joined, rows: sql, names })
  }
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
  /** More conditions, which name the table by its alias. */
  conditions?: readonly string[]
  page?: Page
  /** True where only the number of rows matters. */
  isCounted?: boolean
}

/** The name of a field: the last name in its path, as a place in an array has none, or its column. */
const nameOf = ({ column, path }: SelectedField['field']): string =>
  path.findLast((step) => !/^-?\d+$/.test(step)) ?? column
