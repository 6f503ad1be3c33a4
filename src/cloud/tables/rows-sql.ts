/** Rows of a table as SQL, each with the rows that are embedded in it, to any depth. */
import type { Catalogue, DatabaseTable } from './catalogue.ts'
import { conditionSql, fieldSql, type TableScope } from './condition-sql.ts'
import {
  type Embed,
  embedOf,
  hasPresenceFilter,
  joinConditions,
  relatedSql,
  type SqlColumns,
} from './embed-sql.ts'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'
import { findRelationship } from './relationship.ts'
import {
  embedPathKey,
  type Order,
  type SelectedField,
  type SelectedItem,
  type SelectedTable,
  type TableFilter,
  type TablesQuery,
} from './request.ts'
import { quoted, requireValidAlias, Values } from './sql-text.ts'

/** What rows are read from: a table, or rows of that table which an earlier part of the statement has written or returned. */
export interface RowSource {
  table: DatabaseTable
  /** The SQL behind `from`. */
  sql: string
}

const nothing: TableFilter = { where: [], order: [], offset: 0 }

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
  forQuery(query: TablesQuery): Builder {
    const other = new Builder(this.#catalogue, query, this.#maxRows, this.values)
    other.#aliases = this.#aliases
    return other
  }

  alias(): string {
    return `t${++this.#aliases}`
  }

  filterOf(embedPath: readonly string[]): TableFilter {
    const key = embedPathKey(embedPath)
    this.#used.add(key)
    return this.#query.filters.get(key) ?? nothing
  }

  /** Throws RestRefused where a table is narrowed that is selected nowhere. */
  requireAllUsed(): void {
    for (const key of this.#query.filters.keys())
      if (!this.#used.has(key)) refuse(refusals.notEmbedded((JSON.parse(key) as string[]).join('.')))
  }

  rows(source: RowSource, options: RowsOptions): string {
    return this.rowsQuery(source, options).sql
  }

  /** Rows of one table as a query, and the names of its columns. */
  rowsQuery(source: RowSource, options: RowsOptions): RowsSql {
    const { select, embedPath, alias = this.alias(), conditions = [], isCounted = false } = options
    const { table, sql } = source
    const filter = this.filterOf(embedPath)
    // Rows that are only counted need no related rows but those that decide whether they count.
    const decides = (one: SelectedTable): boolean =>
      one.isInner || hasPresenceFilter(filter.where, one.as ?? one.target)
    const embeds = select
      .filter((one): one is SelectedTable => one.kind === 'embed')
      .filter((one) => !isCounted || decides(one))
      .map((one) => this.#embed(table, alias, one, embedPath))
    const scope = this.scopeOf(table, alias, embeds)
    const all = [...conditions, ...embeds.flatMap(({ required }) => required ?? [])]
    const columns = isCounted ? [] : this.#columns(scope, select, embeds)
    const parts = [
      `select ${columns.map((column) => column.sql).join(', ')} from ${sql} as ${alias}`,
      ...embeds.map(({ join }) => join),
      this.where(scope, filter, all),
      isCounted ? '' : this.orderAndPage(scope, filter, { embeds, page: options.page ?? 'capped' }),
    ]
    return {
      sql: parts.filter((part) => part !== '').join(' '),
      names: columns.flatMap(({ names }) => names),
    }
  }

  /** The text `where …`; empty where there are no conditions. */
  where(scope: TableScope, { where }: TableFilter, conditions: readonly string[] = []): string {
    const all = [...conditions, ...where.map((condition) => conditionSql(scope, condition))]
    return all.length > 0 ? `where ${all.join(' and ')}` : ''
  }

  orderAndPage(
    scope: TableScope,
    filter: TableFilter,
    { embeds = [], page }: { embeds?: readonly Embed[]; page: PageLimit },
  ): string {
    const order = filter.order.map((one) => this.#order(scope, embeds, one)).join(', ')
    return `${order === '' ? '' : `order by ${order} `}${this.#page(filter, page)}`
  }

  scopeOf(table: DatabaseTable, alias: string, embeds: readonly Embed[] = []): TableScope {
    const absent = new Map(embeds.map(({ name, absent }) => [name, absent]))
    return { catalogue: this.#catalogue, table, alias, values: this.values, absent }
  }

  #page({ limit, offset }: TableFilter, page: PageLimit): string {
    if (page === 'none') return ''
    const pageLimit = page === 'given' ? limit : Math.min(limit ?? this.#maxRows, this.#maxRows)
    const parts = pageLimit === undefined ? [] : [`limit ${this.values.add(pageLimit)}::int8`]
    return [...parts, ...(offset > 0 ? [`offset ${this.values.add(offset)}::int8`] : [])].join(' ')
  }

  #columns(scope: TableScope, select: readonly SelectedItem[], embeds: readonly Embed[]): SqlColumns[] {
    return select.flatMap((one): SqlColumns[] => {
      if (one.kind === 'all') return [{ sql: `${scope.alias}.*`, names: [...scope.table.columns.keys()] }]
      if (one.kind === 'field') return [this.#field(scope, one)]
      return embeds.find(({ of }) => of === one)?.columns ?? []
    })
  }

  #field(scope: TableScope, { as, field, cast }: SelectedField): SqlColumns {
    const sql = this.#isNumberOfRows(scope, field) ? 'pg_catalog.count(*)' : fieldSql(scope, field)
    const type =
      cast === undefined ? undefined : (this.#catalogue.type(cast) ?? refuse(refusals.noType(cast)))
    const name =
      as === undefined && field.path.length === 0 ? field.column : requireValidAlias(as ?? nameOf(field))
    return {
      sql: `${type === undefined ? sql : `cast(${sql} as ${type})`} as ${quoted(name)}`,
      names: [name],
    }
  }

  /** Whether a field stands for the number of rows, as `select('…, items(count)')` does in clients of the field where no column has this name. */
  #isNumberOfRows({ table }: TableScope, { column, path }: SelectedField['field']): boolean {
    return (
      column === 'count' &&
      path.length === 0 &&
      !table.columns.has(column) &&
      !this.#catalogue.computed(table, column)
    )
  }

  #order(scope: TableScope, embeds: readonly Embed[], { of, field, isDescending, nulls }: Order): string {
    const sql = of === undefined ? fieldSql(scope, field) : this.#orderOf(scope, embeds, of, field)
    return `${sql} ${isDescending ? 'desc' : 'asc'}${nulls === undefined ? '' : ` nulls ${nulls}`}`
  }

  /** The column of an embedded table that has one row, for an order. It is looked up again, as it need not be selected. */
  #orderOf(scope: TableScope, embeds: readonly Embed[], name: string, field: Order['field']): string {
    const embed = embeds.find((one) => one.name === name) ?? refuse(refusals.notEmbedded(name))
    const { relationship } = embed
    if (!relationship.isOne) refuse(refusals.orderOfMany(name))
    const alias = this.alias()
    const inner = this.scopeOf(relationship.table, alias)
    const joinSql = joinConditions(relationship, scope.alias, alias)
    const where = joinSql.length === 0 ? '' : ` where ${joinSql.join(' and ')}`
    return `(select ${fieldSql(inner, field)} from ${relatedSql(relationship, scope.alias)} as ${alias}${where} limit 1)`
  }

  #embed(table: DatabaseTable, outer: string, of: SelectedTable, embedPath: readonly string[]): Embed {
    const relationship = findRelationship(this.#catalogue, table, of)
    const name = of.as === undefined ? of.target : requireValidAlias(of.as)
    const [alias, joinAlias] = [this.alias(), this.alias()]
    const { kind, isOne } = relationship
    const { sql, names } = this.rowsQuery(
      { table: relationship.table, sql: relatedSql(relationship, outer) },
      {
        select: of.select,
        embedPath: [...embedPath, name],
        alias,
        conditions: joinConditions(relationship, outer, alias),
        // Where there is one row, nothing is cut: without a limit PostgreSQL may join the two tables in whatever order is best.
        page: isOne && kind !== 'computed' ? 'given' : 'capped',
      },
    )
    return embedOf({ of, relationship, name, joinAlias, rows: sql, names })
  }
}

export interface RowsSql {
  sql: string
  names: readonly string[]
}

/** `given`: only what the request says; `capped`: never more than the most that are answered. */
type PageLimit = 'capped' | 'given' | 'none'

interface RowsOptions {
  select: readonly SelectedItem[]
  embedPath: readonly string[]
  alias?: string
  /** More conditions, which name the table by its alias. */
  conditions?: readonly string[]
  page?: PageLimit
  /** True where only the number of rows matters. */
  isCounted?: boolean
}

/** The name of a field: the last name in its path, as a place in an array has none, or its column. */
const nameOf = ({ column, path }: SelectedField['field']): string =>
  path.findLast((step) => !/^-?\d+$/.test(step)) ?? column
