import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type TOptional, type TProperties, type TSchema, type TString, Type } from 'typebox'
import { closed, pageLimit, uuid } from '#platform/schema'

/** The query parameters of a list: the number of items (default: `standard`) and the cursor. */
export const pageQuery = <More extends TProperties = Record<never, TSchema>>(
  { max, standard, after }: { max: number; standard?: number; after: TOptional<TString> },
  more: More = {} as More,
) => Type.Object({ limit: pageLimit(max, standard), after_id: after, ...more }, closed)

/** A cursor that is the id of an item, which may have been deleted. */
export const idCursor = (en: string, fa: string): TOptional<TString> =>
  Type.Optional({ ...uuid(en), 'x-description-fa': fa })

export interface PageOptions {
  limit: number
  /** Selects items older than this one. */
  after_id?: string | undefined
  /** Selects the items just newer than this one. */
  before_id?: string | undefined
  /** `asc`: oldest first, and `after_id` selects newer items; not for lists with `before_id`. */
  order?: 'asc' | 'desc' | undefined
}

export interface Page<Row> {
  rows: Row[]
  hasMore: boolean
}

/** The rows of a page, newest first unless `order` says otherwise; `column` ascends with time. */
export async function readPage<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  column: string,
  options: PageOptions,
): Promise<Page<Row>> {
  const { limit, after_id: after, before_id: before, order = 'desc' } = options
  const isNewestFirst = order === 'desc'
  const found = await query
    .$if(after !== undefined, (rows) => rows.where(cursorCondition(column, isNewestFirst ? '<' : '>', after)))
    .$if(before !== undefined, (rows) => rows.where(cursorCondition(column, '>', before)))
    .orderBy(sql.ref(column), before === undefined ? order : 'asc')
    .limit(limit + 1)
    .execute()
  const page = cutPage(found as Row[], limit)
  if (before !== undefined) page.rows.reverse()
  return page
}

const cursorCondition = (column: string, side: '<' | '>', id: string | undefined): RawBuilder<SqlBool> =>
  sql`${sql.ref(column)} ${sql.raw(side)} ${id}`

/** The end of a handwritten SQL statement, whose rows go through `cutPage`. Ignores `before_id` and `order`. */
export const pageClause = (column: string, { after_id: after, limit }: PageOptions): RawBuilder<unknown> =>
  sql`${after === undefined ? sql`` : sql`and ${cursorCondition(column, '<', after)}`}
    order by ${sql.ref(column)} desc limit ${limit + 1}`

/** Cuts the one extra row that was queried to learn whether there are more. */
export const cutPage = <Row>(found: Row[], limit: number): Page<Row> => ({
  rows: found.slice(0, limit),
  hasMore: found.length > limit,
})
