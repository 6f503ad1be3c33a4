/** A query on tables as one statement: rows as JSON or as lines of CSV, within the bytes of an answer, and how many there are. */
import type { BoundStatement } from '#cloud/databases'
import type { BatchAnswers } from './batch.ts'
import type { Catalogue, DatabaseTable } from './catalogue.ts'
import type { TablesQuery } from './request.ts'
import { Builder, type RowSource } from './rows-sql.ts'
import { operator, quotedTable } from './sql-text.ts'

export interface ReadOptions {
  maxRows: number
  maxBytes: number
  /** `estimated`: exact up to `maxRows`, beyond them the number that PostgreSQL plans with. */
  count?: 'exact' | 'planned' | 'estimated' | undefined
  withoutNulls: boolean
  isCsv?: boolean | undefined
}

/** What a statement of rows answers. */
export interface ReadAnswer {
  /** Rows as text, without the brackets around them; undefined where they have too many bytes. */
  body: string | undefined
  rows: number
  /** The number of rows of all pages, where they are counted. */
  total: number | undefined
  /** The names of the columns. */
  names: readonly string[]
}

export interface ReadPlan {
  statements: readonly BoundStatement[]
  answer(rows: BatchAnswers): ReadAnswer
}

/** The statements that read a page of a table, and how their answers are read. Throws RestRefused. */
export function readPlan(
  catalogue: Catalogue,
  table: DatabaseTable,
  query: TablesQuery,
  options: ReadOptions,
): ReadPlan {
  const { count, maxRows } = options
  const builder = new Builder(catalogue, query, maxRows)
  const source = { table, sql: quotedTable(table) }
  const page = builder.rowsQuery(source, { select: query.select, embedPath: [] })
  builder.requireAllUsed()
  const counted = (): string => builder.rows(source, { select: query.select, embedPath: [], isCounted: true })
  const all = count === 'exact' ? counted() : count === 'estimated' ? `${counted()} limit ${maxRows + 1}` : ''
  const total = all === '' ? 'null' : `(select pg_catalog.count(*) from (${all}) as all_rows)`
  const text = `with ${bodyOf(builder, page.sql, options)}, ${total} as total from page`
  const statements: BoundStatement[] = [{ text, values: builder.values.list }]
  if (count === 'planned' || count === 'estimated') statements.push(planStatement(catalogue, source, query))
  return { statements, answer: (answers) => readAnswer(answers, page.names, options) }
}

/** The statement that asks how many rows PostgreSQL expects. */
function planStatement(catalogue: Catalogue, source: RowSource, query: TablesQuery): BoundStatement {
  const builder = new Builder(catalogue, query, Number.MAX_SAFE_INTEGER)
  const rows = builder.rows(source, { select: query.select, embedPath: [], isCounted: true })
  return { text: `explain (format json) ${rows}`, values: builder.values.list }
}

export function readAnswer(
  answers: BatchAnswers,
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
 * The text behind `with`, which selects `body` and `rows` of a page of rows; `body` is null where it has too many bytes. `value`: the part of each
 * row that is answered, where that is not the whole row as an object.
 */
export function bodyOf(
  builder: Builder,
  rows: string,
  { maxBytes, withoutNulls, isCsv }: Pick<ReadOptions, 'maxBytes' | 'withoutNulls' | 'isCsv'>,
  value?: string,
): string {
  const whole = value === undefined ? 'pg_catalog.row_to_json(rows.*)' : `pg_catalog.to_json(${value})`
  const json = withoutNulls ? `pg_catalog.json_strip_nulls(${whole})` : whole
  // The text of a row stands in parentheses, and is a line of CSV otherwise.
  const one = isCsv
    ? 'pg_catalog.left(pg_catalog.right((rows.*)::pg_catalog.text, -1), -1)'
    : `coalesce(${json}::pg_catalog.text, 'null')`
  const bytes = 'coalesce(pg_catalog.sum(pg_catalog.octet_length(one)), 0::int8)'
  const lines = `pg_catalog.string_agg(one, ${isCsv ? "E'\\n'" : "','"})`
  return `page as (select ${one} as one from (${rows}) as rows)
select case when ${bytes} ${operator('<=')} ${builder.values.add(maxBytes)}::int8 then coalesce(${lines}, '') end as body, pg_catalog.count(*) as rows`
}
