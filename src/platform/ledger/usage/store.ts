import type { Db } from '#platform/db'

/** The total of several calls, in micro-credits and tokens. */
export interface UsageSums {
  requests: bigint
  failures: bigint
  charged: bigint
  input_tokens: bigint
  cached_input_tokens: bigint
  output_tokens: bigint
  reasoning_tokens: bigint
}

/** The dimensions of usage; a text is empty if a call has no value there. */
export interface UsageGroup {
  /** The day in Asia/Tehran, as `2026-11-22`. */
  day: string
  key_id: string
  endpoint: string
  model: string
  customer_id: string
  /** Present only if rows are grouped by reference. */
  reference_id?: string
}

export type UsageRow = UsageGroup & UsageSums

/** The project whose usage is read, and the days, up to the day of `nowMs`. */
export interface UsageWindow {
  accountId: string
  projectId: string
  days: number
  nowMs: number
}

export interface UsagePage {
  by: 'group' | 'reference'
  limit: number
  /** The last row of the previous page. */
  after?: UsageGroup | undefined
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
const groupColumns = ['day', 'key_id', 'endpoint', 'model', 'customer_id'] as const
const referenceColumns = [...groupColumns, 'reference_id'] as const
const inWindow = `account_id = $1 and project_id = $2 and day > ($3::timestamptz at time zone 'Asia/Tehran')::date - $4::int`

/** The rows that add up to the total of every group: those without a reference, and the sums of those with one. */
const parts = ["ledger.usage_days where reference_id = '' and", 'ledger.usage_referenced where'] as const

const valuesOf = ({ accountId, projectId, nowMs, days }: UsageWindow): unknown[] => [
  accountId,
  projectId,
  new Date(nowMs),
  days,
]

export async function usageTotals(db: Db, window: UsageWindow): Promise<UsageSums> {
  const rows = parts.map((part) => `select ${sums.join(', ')} from ${part} ${inWindow}`)
  const [totals] = await db.query<UsageSums>(
    { text: `select ${added} from (${rows.join(' union all ')}) u` },
    valuesOf(window),
  )
  return totals!
}

/**
 * A page of usage, ordered by the newest day and then by the other columns. The order is that of the primary keys, so that the cost of a page depends
 * on its own rows, not on how many there are. The statements have no names, since a plan made for an empty table would be kept for a full one.
 */
export function usageRows(db: Db, window: UsageWindow, page: UsagePage): Promise<UsageRow[]> {
  const columns = page.by === 'reference' ? referenceColumns : groupColumns
  const values = [...valuesOf(window), page.limit]
  const places = columns.map((_, at) => `$${values.length + 1 + at}${['::date', '::uuid'][at] ?? ''}`)
  if (page.after) values.push(...columns.map((column) => page.after![column]))
  const orderOf = (prefix: string): string =>
    `order by ${columns.map((column) => `${prefix}${column} desc`).join(', ')} limit $5::int`
  const order = orderOf('')
  const rest = `${inWindow} and requests > 0
    ${page.after ? `and (${columns.join(', ')}) < (${places.join(', ')})` : ''} ${order}`
  const pick = [...columns, ...sums].join(', ')
  const from =
    page.by === 'reference'
      ? `select ${pick} from ledger.usage_days where ${rest}`
      : `select ${columns.join(', ')}, ${added}
          from (${parts.map((part) => `(select ${pick} from ${part} ${rest})`).join(' union all ')}) u
          group by ${columns.join(', ')} ${order}`
  const shown = [
    "to_char(u.day, 'YYYY-MM-DD') as day",
    ...[...columns.slice(1), ...sums].map((name) => `u.${name}`),
  ]
  return db.query<UsageRow>({ text: `select ${shown.join(', ')} from (${from}) u ${orderOf('u.')}` }, values)
}
