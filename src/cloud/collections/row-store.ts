/** Rows of a collection as SQL: read in pages, and written by statements that report what they wrote. */
import type { CloudKey } from '#cloud/clouds'
import { type Collation, conditionSql } from './conditions.ts'
import type { Condition, Order, RowCaller, Selection } from './query.ts'
import { cellSql, orderSql, selectionSql, wholeSelection } from './selection.ts'
import { Parameters } from './sql-text.ts'
import { type NewRow, type RunStatement, tableColumns } from './store.ts'

export interface RowsFilter {
  collection: string
  caller: RowCaller
  where: readonly Condition[]
  order: readonly Order[]
  limit: number
  offset: number
}

export interface RowsQuery extends RowsFilter {
  selection: Selection
  /** Whether all rows that match are counted too. */
  counted: boolean
}

export interface RowsPage {
  /** Undefined where the JSON of the rows has more bytes than an answer may. */
  text: string | undefined
  rows: number
  /** Undefined where the total was not requested. */
  total: number | undefined
}

interface BuiltFilter {
  parameters: Parameters
  collation: Collation
  where: string
}

const inCollectionSql =
  'r.account_id = $1 and r.cloud_id = $2 and r.collection_id = (select collection_id from c)'
const collectionCte =
  'with c as materialized (select collection_id, public_read from collections.collections where account_id = $1 and cloud_id = $2 and name = $3)'

/** The first three parameters are account, cloud and name of the collection. */
function buildFilter(
  cloud: CloudKey,
  filter: RowsFilter,
  collation: Collation,
  writes: boolean,
): BuiltFilter {
  const parameters = new Parameters()
  for (const [value, type] of [
    [cloud.accountId, 'uuid'],
    [cloud.cloudId, 'uuid'],
    [filter.collection, 'text'],
  ] as const)
    parameters.add(value, type)
  const conditions = filter.where.map((one) => conditionSql(one, { parameters, collation }))
  const where = [inCollectionSql, ...accessSql(filter.caller, parameters, writes), ...conditions].join(
    ' and ',
  )
  return { parameters, collation, where }
}

/** Rows are read by their owners and, where a collection is public, by everybody; they are written by their owners. */
function accessSql(caller: RowCaller, parameters: Parameters, writes: boolean): string[] {
  if (caller.role === 'all') return []
  if (caller.role === 'anon') return writes ? ['false'] : ['(select public_read from c)']
  const isOwn = `r.owner_id = ${parameters.add(caller.userId, 'uuid')}`
  return [writes ? isOwn : `((select public_read from c) or ${isOwn})`]
}

/** The order of the rows, and the end of a statement that takes a page of them. */
function pageSql(
  { order: orders, limit, offset }: RowsFilter,
  parameters: Parameters,
  collation: Collation,
): { order: string; page: string } {
  const order = orderSql(orders, parameters, collation)
  const page = `order by ${order} limit ${parameters.add(limit, 'int')} offset ${parameters.add(offset, 'int')}`
  return { order, page }
}

interface PageRow {
  found: boolean
  rows: number
  total?: number
  body: string | null
}

export interface RowsStatement {
  text: string
  values: readonly unknown[]
}

/** The statement that reads a page. `line` makes the text of a row, `between` stands between two. */
function pageStatement(
  filter: RowsFilter & { counted: boolean },
  { parameters, collation, where }: BuiltFilter,
  { line, between, maxBytes }: { line: string; between: string; maxBytes: number },
): RowsStatement {
  const { page } = pageSql(filter, parameters, collation)
  const total = filter.counted
    ? `, (select count(*)::int from collections.rows r where ${where}) as total`
    : ''
  const text = `${collectionCte}, page as materialized (select ${line} as line from collections.rows r where ${where} ${page})
    select exists (select from c) as found, p.rows${total},
      case when p.bytes <= ${parameters.add(maxBytes, 'bigint')} then (select coalesce(string_agg(line, ${between}), '') from page) end as body
    from (select count(*)::int as rows, coalesce(sum(octet_length(line)), 0) as bytes from page) p`
  return { text, values: parameters.values }
}

export function readStatement(
  cloud: CloudKey,
  query: RowsQuery,
  collation: Collation,
  maxBytes: number,
): RowsStatement {
  const built = buildFilter(cloud, query, collation, false)
  const line = selectionSql(query.selection, built.parameters)
  return pageStatement(query, built, { line, between: `','`, maxBytes })
}

/** Returns undefined where there is no such collection. */
export async function readPage(
  run: RunStatement,
  statement: RowsStatement,
  name?: string,
): Promise<RowsPage | undefined> {
  const [row] = await run<PageRow>(statement.text, statement.values, name)
  if (!row!.found) return undefined
  return { text: row!.body ?? undefined, rows: row!.rows, total: row!.total }
}

/** The statement that reads a page as lines of comma-separated values, with the fields of the selection; `all` is ignored. */
export function tableStatement(
  cloud: CloudKey,
  query: RowsQuery,
  collation: Collation,
  maxBytes: number,
): RowsStatement {
  const built = buildFilter(cloud, query, collation, false)
  const cells = query.selection.fields.map(({ field, cast }) => {
    const cell = cellSql(field, cast, built.parameters)
    const quoted = `'"' || replace(${cell}, '"', '""') || '"'`
    return `coalesce(case when ${cell} <> translate(${cell}, '",' || chr(13) || chr(10), '') then ${quoted} else ${cell} end, '')`
  })
  const line = cells.length === 0 ? `''` : cells.join(` || ',' || `)
  return pageStatement(query, built, { line, between: 'chr(10)', maxBytes })
}

/** Returns the names of all members of the rows of a page, at most `limit`. */
export async function memberNames(
  run: RunStatement,
  cloud: CloudKey,
  query: RowsQuery,
  collation: Collation,
  limit: number,
): Promise<string[]> {
  const { parameters, where } = buildFilter(cloud, query, collation, false)
  const { page } = pageSql(query, parameters, collation)
  const rows = await run<{ name: string }>(
    `${collectionCte}, page as materialized (select r.data from collections.rows r where ${where} ${page})
      select distinct m.name collate "C" as name from page, jsonb_object_keys(page.data) m(name) order by 1 limit ${parameters.add(limit, 'int')}`,
    parameters.values,
  )
  return rows.map(({ name }) => name)
}

/** What a statement has written. */
export interface WriteReport {
  rows: number
  /** The growth of the bytes of all rows. */
  grownBytes: number
  largestRowBytes: number
  /** The JSON of the requested rows; undefined where it has too many bytes. */
  text: string | undefined
}

interface WrittenRow {
  rows: number
  grown: bigint
  largest: number
  body: string | null
}

const writeReportOf = (row: WrittenRow): WriteReport => ({
  rows: row.rows,
  grownBytes: Number(row.grown),
  largestRowBytes: row.largest,
  text: row.body ?? undefined,
})

/** SQL that reports the rows in an order, without texts where none is selected; `w` has the columns of rows, and `grownBytes`. */
function reportSql(
  { selection, maxBytes }: ReportOptions,
  parameters: Parameters,
  sorted: `${string}order by ${string}`,
): string {
  const line = selection === undefined ? `''` : selectionSql(selection, parameters)
  const max = parameters.add(maxBytes, 'bigint')
  return `, page as materialized (select ${line} as line, r.grown, r.bytes from w r ${sorted})
    select count(*)::int as rows, coalesce(sum(grown), 0)::bigint as grown, coalesce(max(bytes), 0) as largest,
      case when coalesce(sum(octet_length(line)), 0) <= ${max} then coalesce(string_agg(line, ','), '') end as body from page`
}

export interface ReportOptions {
  selection: Selection | undefined
  maxBytes: number
}

/** Inserts rows whose ids are free; for others the database refuses with 23505. */
export async function insertRows(
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  collectionId: string,
  { rows, now }: { rows: readonly NewRow[]; now: Date },
  reportOptions: ReportOptions,
): Promise<WriteReport> {
  const parameters = new Parameters()
  const cloud = `${parameters.add(accountId, 'uuid')}, ${parameters.add(cloudId, 'uuid')}, ${parameters.add(collectionId, 'uuid')}`
  const at = parameters.add(now, 'timestamptz')
  const from = newRowsSql(rows, parameters)
  const text = `with i as materialized (select * from ${from}),
    w as (insert into collections.rows as r (${tableColumns}) select ${cloud}, i.row_id, i.owner_id, i.data, i.bytes, ${at}, ${at} from i
      returning r.*, r.bytes as grown)
    ${reportSql(reportOptions, parameters, 'join i on i.row_id = r.row_id order by i.n')}`
  return writeReportOf((await run<WrittenRow>(text, parameters.values))[0]!)
}

const newRowsSql = (rows: readonly NewRow[], parameters: Parameters): string =>
  `unnest(${parameters.add(
    rows.map(({ id }) => id),
    'uuid[]',
  )}, ${parameters.add(
    rows.map(({ ownerId }) => ownerId),
    'uuid[]',
  )}, ${parameters.add(
    rows.map(({ json }) => json),
    'jsonb[]',
  )}, ${parameters.add(
    rows.map(({ bytes }) => bytes),
    'int[]',
  )}) with ordinality as i(row_id, owner_id, data, bytes, n)`

export interface ExistingRow {
  row_id: string
  owner_id: string | null
}

export const existingRows = (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  collectionId: string,
  ids: readonly string[],
): Promise<ExistingRow[]> =>
  run(
    'select row_id, owner_id from collections.rows where account_id = $1 and cloud_id = $2 and collection_id = $3 and row_id = any($4::uuid[])',
    [accountId, cloudId, collectionId, ids],
  )

/** Writes the rows whose ids are free and merges the others, member by member, into those that are there. */
export async function mergeRows(
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  collectionId: string,
  { rows, now }: { rows: readonly NewRow[]; now: Date },
  reportOptions: ReportOptions,
): Promise<WriteReport> {
  const parameters = new Parameters()
  const [account, cloud, collection] = [accountId, cloudId, collectionId].map((id) =>
    parameters.add(id, 'uuid'),
  )
  const at = parameters.add(now, 'timestamptz')
  const from = newRowsSql(rows, parameters)
  const key = `account_id = ${account} and r.cloud_id = ${cloud} and r.collection_id = ${collection}`
  const text = `with i as materialized (select i.*, r.bytes as old_bytes from ${from}
      left join collections.rows r on r.${key} and r.row_id = i.row_id),
    m as (update collections.rows r set data = r.data || i.data, bytes = octet_length((r.data || i.data)::text), updated_at = ${at}
      from i where r.${key} and r.row_id = i.row_id returning r.*, r.bytes - i.old_bytes as grown),
    n as (insert into collections.rows as r (${tableColumns})
      select ${account}, ${cloud}, ${collection}, i.row_id, i.owner_id, i.data, i.bytes, ${at}, ${at} from i where i.old_bytes is null
      returning r.*, r.bytes as grown),
    w as (select * from m union all select * from n)
    ${reportSql(reportOptions, parameters, 'join i on i.row_id = r.row_id order by i.n')}`
  return writeReportOf((await run<WrittenRow>(text, parameters.values))[0]!)
}

/** SQL of the rows that match, at most `limit`. */
function matchingRowsSql(
  filter: RowsFilter,
  { parameters, collation, where }: BuiltFilter,
): { rows: string; order: string } {
  const { order, page } = pageSql(filter, parameters, collation)
  return {
    rows: `t as materialized (select r.row_id, r.bytes from collections.rows r where ${where} ${page})`,
    order,
  }
}

/** Merges `json` into every row that matches. */
export async function changeRows(
  run: RunStatement,
  cloud: CloudKey,
  filter: RowsFilter,
  { json, now, collation }: { json: string; now: Date; collation: Collation },
  reportOptions: ReportOptions,
): Promise<WriteReport> {
  const built = buildFilter(cloud, filter, collation, true)
  const { rows, order } = matchingRowsSql(filter, built)
  const { parameters } = built
  const merged = `r.data || ${parameters.add(json, 'jsonb')}`
  const text = `${collectionCte}, ${rows},
    w as (update collections.rows r set data = ${merged}, bytes = octet_length((${merged})::text), updated_at = ${parameters.add(now, 'timestamptz')}
      from t where ${inCollectionSql} and r.row_id = t.row_id returning r.*, r.bytes - t.bytes as grown)
    ${reportSql(reportOptions, parameters, `order by ${order}`)}`
  return writeReportOf((await run<WrittenRow>(text, parameters.values))[0]!)
}

export async function deleteRows(
  run: RunStatement,
  cloud: CloudKey,
  filter: RowsFilter,
  collation: Collation,
  reportOptions: ReportOptions,
): Promise<WriteReport> {
  const built = buildFilter(cloud, filter, collation, true)
  const { rows, order } = matchingRowsSql(filter, built)
  const text = `${collectionCte}, ${rows},
    w as (delete from collections.rows r using t where ${inCollectionSql} and r.row_id = t.row_id returning r.*, -r.bytes as grown)
    ${reportSql(reportOptions, built.parameters, `order by ${order}`)}`
  return writeReportOf((await run<WrittenRow>(text, built.parameters.values))[0]!)
}

/** A row of a group: its collection was looked up before. */
export interface GroupedRow extends NewRow {
  collectionId: string
  /** Whether its JSON is answered. */
  wanted: boolean
}

export interface Group {
  rows: readonly GroupedRow[]
  bytes: number
  now: Date
  maxRows: number
  maxBytes: number
}

export interface GroupAnswer {
  collection_id: string
  row_id: string
  json: string | null
}

const groupInsertSql = (() => {
  const whole = selectionSql(wholeSelection, new Parameters())
  return `with taken as (update collections.counts set rows = rows + $3::int, bytes = bytes + $4::bigint
      where account_id = $1 and cloud_id = $2 and not is_frozen and rows + $3::int <= $5::bigint and bytes + $4::bigint <= $6::bigint returning 1),
    r as (insert into collections.rows (${tableColumns})
      select $1::uuid, $2::uuid, i.collection_id, i.row_id, i.owner_id, i.data, i.bytes, $7::timestamptz, $7::timestamptz
      from unnest($8::uuid[], $9::uuid[], $10::uuid[], $11::jsonb[], $12::int[]) as i(collection_id, row_id, owner_id, data, bytes), taken
      returning *)
    select r.collection_id, r.row_id, case when r.row_id = any($13::uuid[]) then ${whole} end as json from r`
})()

/**
 * Inserts all rows of a group and counts them, in one statement. Returns nothing, and writes nothing, if that passes a limit or the cloud is frozen.
 */
export const insertGroup = (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  group: Group,
): Promise<GroupAnswer[]> =>
  run(
    groupInsertSql,
    [
      accountId,
      cloudId,
      group.rows.length,
      group.bytes,
      group.maxRows,
      group.maxBytes,
      group.now,
      group.rows.map(({ collectionId }) => collectionId),
      group.rows.map(({ id }) => id),
      group.rows.map(({ ownerId }) => ownerId),
      group.rows.map(({ json }) => json),
      group.rows.map(({ bytes }) => bytes),
      group.rows.filter(({ wanted }) => wanted).map(({ id }) => id),
    ],
    'collections.insert',
  )
