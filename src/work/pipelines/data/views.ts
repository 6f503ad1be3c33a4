/** Views of a table (aggregations and scatter plots) and their answers, computed from its columns. */
import type { StoredColumn, TableStore } from './columns/store.ts'
import type { Measure } from './figures.ts'
import { quotient, withCommonScale } from './values/exact.ts'
import { groupedBy } from './view-groups.ts'
import { measureGroups } from './view-measures.ts'
import { limitRows, sortedIndexes } from './view-order.ts'

export type ChartType = 'bar' | 'line' | 'area' | 'pie' | 'scatter' | 'none'
export type Bucket = 'day' | 'month' | 'year' | 'hour'

/** A question to the table: a number per value of a column, or two columns of numbers against each other. */
export interface View {
  title: string
  /** Indexes of columns. */
  by: number
  column?: number
  measure: Measure
  bucket?: Bucket
  /** Limit to the largest groups; the others are combined into one row. */
  top?: number
  chart: ChartType
}

export interface ViewRow {
  key: string
  /** Decimal text; null if unknown. */
  value: string | null
  count: number
}

export interface ViewAnswer {
  view: View
  rows: ViewRow[]
  /** Total number of groups; those beyond the limit are combined in the last row, earlier moments in the first. */
  groups: number
  /** The same measure over all rows. */
  total: string | null
  /** Share of the largest row in percent; only for sums and counts without negative values. */
  share?: string
  /** Change from the first to the last known row in percent; only for dates, in order. */
  change?: string
  points?: [number, number][]
  /** Rows that could be drawn as points. */
  pairs?: number
}

/** Whether the numbers of a view count rows or values, whatever the column contains. */
export const countsOnly = ({ measure }: View): boolean => measure === 'count' || measure === 'distinct'

/** The most points of a drawing. */
const maxPoints = 1_000

export function answerView(store: TableStore, view: View, other: string): ViewAnswer {
  if (view.chart === 'scatter') return scatterOf(store, view)
  const found = groupedBy(store, view)
  const { keys, of: groupColumn, isTime } = found
  const measured = measureGroups(store, found, view)
  const all = keys.map(
    (key, group): ViewRow => ({ key, value: measured.value(group), count: measured.count(group) }),
  )
  const isEachOnce = all.every(({ count }) => count === 1)
  const ordered = sortedIndexes([...all.keys()], all, isTime, isEachOnce)
  const rows = limitRows(ordered, all, measured, { view, other, isTime })
  const total = measured.total()
  const share = shareOf(rows, total, view)
  const change = isTime && groupColumn.kind === 'date' ? changeOf(rows) : undefined
  return {
    view: found.view,
    rows,
    groups: keys.length,
    total,
    ...(share && { share }),
    ...(change && { change }),
  }
}

const nonNull = (values: readonly (string | null)[]): string[] => values.filter((value) => value !== null)

/** The larger of two decimals. */
const larger = (a: string, b: string): string => {
  const { units } = withCommonScale([a, b])
  return units[0]! >= units[1]! ? a : b
}

function shareOf(rows: readonly ViewRow[], total: string | null, { measure }: View): string | undefined {
  if ((measure !== 'sum' && measure !== 'count') || total === null || rows.length < 2) return undefined
  const values = nonNull(rows.map(({ value }) => value))
  if (values.some((value) => value.startsWith('-')) || Number(total) <= 0) return undefined
  return percentOf(values.reduce(larger), total)
}

function changeOf(rows: readonly ViewRow[]): string | undefined {
  const values = nonNull(rows.map(({ value }) => value))
  const [first, last] = [values[0], values.at(-1)]
  if (values.length < 2 || first === undefined || last === undefined || Number(first) <= 0) return undefined
  const { units } = withCommonScale([first, last])
  return inTenths(quotient((units[1]! - units[0]!) * 100n, 0, units[0]!))
}

const percentOf = (part: string, total: string): string => {
  const { units } = withCommonScale([part, total])
  return inTenths(quotient(units[0]! * 100n, 0, units[1]!))
}

/** A decimal with one digit after the point. */
const inTenths = (decimal: string): string => Number(decimal).toFixed(1).replace(/\.0$/, '')

function scatterOf({ columns, rows }: TableStore, view: View): ViewAnswer {
  const [x, y] = [columns[view.by], columns[view.column ?? view.by]] as [StoredColumn, StoredColumn]
  const points: [number, number][] = []
  let pairs = 0
  // The points are sampled evenly over all rows, so that the chart does not show only the first rows.
  const both = (row: number) => x.textAt(row) !== null && y.textAt(row) !== null
  for (let row = 0; row < rows; row += 1) if (both(row)) pairs += 1
  const step = Math.max(1, pairs / maxPoints)
  let seen = 0
  for (let row = 0; row < rows && points.length < maxPoints; row += 1) {
    if (!both(row)) continue
    if (Math.floor(seen / step) === points.length) points.push([Number(x.textAt(row)), Number(y.textAt(row))])
    seen += 1
  }
  return { view, rows: [], groups: pairs, total: null, points, pairs }
}
