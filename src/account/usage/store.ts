/** SQL of the usage of an account. */
import { CompiledQuery, sql } from 'kysely'
import type { VisibleProjects } from '#account/people'
import { type Db, scrollRows, type Tx } from '#platform/db'
import type { UsageSums } from '#platform/ledger'
import { type Dimension, instantsOf, type UsageRange } from './range.ts'

/** Which calls are added up, and by what. */
export interface UsageFilter {
  accountId: string
  projects: VisibleProjects
  model?: string | undefined
  endpoint?: string | undefined
  keyId?: string | undefined
  /** Calls that this person paid by sessions. */
  personId?: string | undefined
  customerId?: string | undefined
}

/** The sums of a period and a group. */
export interface GroupRow extends UsageSums {
  /** The place of the period in those of the range; null in the row of the totals. */
  period: number | null
  /** The group in the order of the dimensions that were asked for; a text is empty if a call has no value there. */
  d1?: string
  d2?: string
  quantities: Record<string, number> | null
}

/** The place after which a page begins: that of the last row of the page before. */
export interface PlaceInUsage {
  charged: string
  period: number
  groups: string[]
}

export interface UsagePage {
  order: 'time' | 'cost'
  /** Absent: all rows. */
  limit?: number
  after?: PlaceInUsage | undefined
}

const sums = [
  'requests',
  'failures',
  'charged',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'reasoning_tokens',
]
const added = sums.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', ')

const columns: Record<Dimension, string> = {
  project: 'project_id::text',
  model: 'model',
  endpoint: 'endpoint',
  key: 'key_id::text',
  person: `coalesce(person_id::text, '')`,
  customer: 'customer_id',
}

/** Collects the values of a statement, and gives each its place. */
class Values {
  readonly list: unknown[] = []
  add(value: unknown, type: string): string {
    this.list.push(value)
    return `$${this.list.length}::${type}`
  }
}

/** Whose usage is asked for, when, and by what it is divided. */
export interface UsageQuestion {
  range: UsageRange
  filter: UsageFilter
  by: readonly Dimension[]
}

/**
 * The totals of the range, and a page of its periods and groups. The statement has no name, since a plan made for an empty table would be kept for a
 * full one.
 */
export async function usageOf(
  db: Db,
  question: UsageQuestion,
  page: UsagePage,
): Promise<{ totals: GroupRow; rows: GroupRow[] }> {
  const { text, values } = statementOf(question, page)
  return db.tx(async (tx) => {
    await planForGroups(tx)
    const { rows: found } = await tx.executeQuery<GroupRow>(CompiledQuery.raw(text, values))
    const [totals, ...rows] = found
    return { totals: totals!, rows }
  })
}

/**
 * Lets statements of the transaction add up a million rows in a table of hashes. PostgreSQL expects far more groups than there are, and would sort all
 * rows first, which takes four times as long; with workers it would take two more processors from calls.
 */
const planForGroups = (tx: Tx) =>
  sql`select set_config('enable_sort', 'off', true), set_config('max_parallel_workers_per_gather', '0', true), set_config('work_mem', '16MB', true)`.execute(
    tx,
  )

/** The totals of the range, and all its rows, read within the transaction in short lists. */
export async function allUsageOf(
  tx: Tx,
  question: UsageQuestion,
  order: UsagePage['order'],
): Promise<{ totals: GroupRow; batches: AsyncGenerator<GroupRow[], void, undefined> }> {
  const { text, values } = statementOf(question, { order })
  await planForGroups(tx)
  const batches = scrollRows<GroupRow>(tx, { name: 'usage_export', text }, values)
  const { value } = await batches.next()
  const [totals, ...rows] = value ?? []
  return { totals: totals!, batches: withFirst(rows, batches) }
}

async function* withFirst<Row>(
  first: Row[],
  rest: AsyncGenerator<Row[]>,
): AsyncGenerator<Row[], void, undefined> {
  yield first
  yield* rest
}

/** A statement whose first row has the totals. In Tehran's zone the days of the ledger are read, in others its quarter hours. */
function statementOf(
  { range, filter, by }: UsageQuestion,
  page: UsagePage,
): { text: string; values: unknown[] } {
  const values = new Values()
  const groups = by.map((_, at) => `d${at + 1}`)
  const named = by.map((name, at) => `${columns[name]} collate "C" as d${at + 1}`)
  const key = ['period', ...groups].join(', ')
  const none = groups.map((name) => `null::text collate "C" as ${name}`)
  const parts = slicesOf(values, range, filter).map(
    ({
      table,
      period,
      where,
    }) => `select ${[`${period} as period`, ...named, 'quantities', 'count(*) as many', added].join(', ')}
      from ledger.${table} ${joinOf(values, filter, by)} where ${where} group by ${key}, quantities`,
  )
  // Units are taken apart after rows with equal quantities have become one: of text, where no row has any, that costs nothing.
  const text = `with parts as materialized (${parts.join(' union all ')}),
    grouped as materialized (select ${key}, ${added} from parts group by ${key}),
    units as materialized (
      select ${key}, unit, sum(many * amount::numeric) as amount
      from parts cross join lateral jsonb_each_text(quantities) q (unit, amount) where quantities is not null group by ${key}, unit),
    quantified as (select ${key}, jsonb_object_agg(unit, amount) as quantities from units group by ${key})
    (select ${['null::int as period', ...none].join(', ')}, ${added},
      (select jsonb_object_agg(unit, amount) from (select unit, sum(amount) as amount from units group by unit) u) as quantities from grouped)
    union all
    (select ${[key, ...sums].join(', ')}, quantities
      from (select * from grouped where requests > 0 ${afterOf(values, page, groups)}
        order by ${orderOf(page, groups)} limit ${values.add(page.limit ?? null, 'int')}) p left join quantified using (${key}))
    order by ${orderOf(page, groups)}`
  return { text, values: values.list }
}

/** The tables that have the rows of the range, with the place of a row's period, and the condition. */
function slicesOf(
  values: Values,
  range: UsageRange,
  filter: UsageFilter,
): { table: string; period: string; where: string }[] {
  const conditions = conditionsOf(values, filter)
  if (!range.zone.isSameAs('Asia/Tehran')) {
    const { starts, end } = instantsOf(range)
    const period = `width_bucket(begins_at, ${values.add(starts, 'timestamptz[]')}) - 1`
    const within = `begins_at >= ${values.add(starts[0], 'timestamptz')} and begins_at < ${values.add(end, 'timestamptz')}`
    return ['usage_quarters', 'usage_pending'].map((table) => ({
      table,
      period,
      where: `${within} and ${conditions}`,
    }))
  }
  const begins = values.add(
    range.periods.map(({ from }) => from),
    'date[]',
  )
  const period = `width_bucket(day, ${begins}) - 1`
  const within = `day between ${values.add(range.from, 'date')} and ${values.add(range.to, 'date')} and ${conditions}`
  return [
    { table: 'usage_days', period, where: `reference_id = '' and ${within}` },
    { table: 'usage_referenced', period, where: within },
  ]
}

function conditionsOf(values: Values, filter: UsageFilter): string {
  const account = values.add(filter.accountId, 'uuid')
  const equal = (column: string, value: string | undefined, type: string) =>
    value === undefined ? [] : [`${column} = ${values.add(value, type)}`]
  return [
    `account_id = ${account}`,
    // The keys of the tables begin with account and project, so that the projects are named even where they are all.
    filter.projects === 'all'
      ? `project_id = any(array(select project_id from auth.projects where account_id = ${account}))`
      : `project_id = any(${values.add(filter.projects, 'uuid[]')})`,
    ...equal('model', filter.model, 'text'),
    ...equal('endpoint', filter.endpoint, 'text'),
    ...equal('customer_id', filter.customerId, 'text'),
    ...equal('key_id', filter.keyId, 'uuid'),
    ...(filter.personId === undefined
      ? []
      : [
          `key_id = any(array(select key_id from auth.keys
            where account_id = ${account} and person_id = ${values.add(filter.personId, 'uuid')} and kind <> 'api'))`,
        ]),
  ].join(' and ')
}

/** The people who paid by sessions, where rows are grouped by them. */
const joinOf = (values: Values, { accountId }: UsageFilter, by: readonly Dimension[]): string =>
  by.includes('person')
    ? `left join (select key_id, person_id from auth.keys
        where account_id = ${values.add(accountId, 'uuid')} and kind <> 'api') k using (key_id)`
    : ''

/** The order of the rows; that of the totals, which has no period and costs no less than any, comes first in both. */
const orderOf = ({ order }: UsagePage, groups: readonly string[]): string =>
  [...(order === 'cost' ? ['charged desc'] : []), 'period desc', ...groups].join(', ')

/** The rows after a place of the order. */
function afterOf(values: Values, { order, after }: UsagePage, groups: readonly string[]): string {
  if (!after) return ''
  const period = values.add(after.period, 'int')
  const names = groups.map((_, at) => `${values.add(after.groups[at], 'text')} collate "C"`)
  const later = groups.length === 0 ? 'false' : `(${groups.join(', ')}) > (${names.join(', ')})`
  const next = `(period < ${period} or (period = ${period} and ${later}))`
  if (order === 'time') return `and ${next}`
  const charged = values.add(after.charged, 'bigint')
  return `and (charged < ${charged} or (charged = ${charged} and ${next}))`
}

/** The names of the projects of an account, by their ids. */
export async function projectNames(db: Db, accountId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ project_id: string; name: string }>(
    { name: 'usage.project_names', text: 'select project_id, name from auth.projects where account_id = $1' },
    [accountId],
  )
  return new Map(rows.map((row) => [row.project_id, row.name]))
}

/** The names of these people, by their ids. That of a deleted person is a dash. */
export async function personNames(
  db: Db,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ person_id: string; display_name: string }>(
    {
      name: 'usage.person_names',
      text: 'select person_id, display_name from people.people where person_id = any($1::uuid[])',
    },
    [personIds],
  )
  return new Map(rows.map((row) => [row.person_id, row.display_name]))
}
