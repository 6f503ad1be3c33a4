import { isNumeric, type Measure, measured } from './figures.ts'
import { divided, exactOf } from './numbers.ts'
import type { Table } from './table.ts'

export type ChartType = 'bar' | 'line' | 'area' | 'pie' | 'scatter' | 'none'

/** A question to the table: a number for each value of a column, or two columns of numbers against each other. */
export interface View {
  title: string
  /** Places of columns. */
  by: number
  column?: number
  measure: Measure
  bucket?: 'month' | 'year'
  chart: ChartType
}

export interface ViewRow {
  key: string
  /** Decimal text; null where nothing is known. */
  value: string | null
  count: number
}

export interface Answer {
  view: View
  rows: ViewRow[]
  /** Of the rows together, by the same measure. */
  total: string | null
  /** Part of the largest row in all, in percent; of sums and counts that are nowhere negative. */
  share?: string
  /** From the first to the last row that are known, in percent; of days, in their order. */
  change?: string
  points?: [number, number][]
}

const most = { keys: 40, points: 1_000 }

export function answerView(table: Table, view: View, other: string): Answer {
  if (view.chart === 'scatter') return scatterOf(table, view)
  const groups = new Map<string, (string | null)[]>()
  for (const row of table.rows) {
    const key = row[view.by]
    if (key === null || key === undefined) continue
    const name = view.bucket ? key.slice(0, view.bucket === 'month' ? 7 : 4) : key
    const group = groups.get(name) ?? []
    group.push(view.column === undefined ? '1' : row[view.column]!)
    groups.set(name, group)
  }
  const all = [...groups].map(([key, values]) => rowOf(key, values, view.measure))
  const isDate = table.columns[view.by]!.kind === 'date'
  const ordered = inOrder(all, isDate, groups.size === table.rows.length)
  const rows = shortened(ordered, groups, view, other, isDate)
  const total = measured(view.measure, known([...groups.values()].flat())) ?? null
  const share = shareOf(rows, total, view)
  const change = isDate ? changeOf(rows) : undefined
  return { view, rows, total, ...(share && { share }), ...(change && { change }) }
}

const known = (values: readonly (string | null)[]): string[] => values.filter((value) => value !== null)

const rowOf = (key: string, values: readonly (string | null)[], measure: Measure): ViewRow => ({
  key,
  value: measured(measure, known(values)) ?? null,
  count: values.length,
})

const calendars = [
  'فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند',
  'january february march april may june july august september october november december',
  'jan feb mar apr may jun jul aug sep oct nov dec',
  'شنبه یکشنبه دوشنبه سه‌شنبه چهارشنبه پنجشنبه جمعه',
  'monday tuesday wednesday thursday friday saturday sunday',
  'بهار تابستان پاییز زمستان',
].map((names) => names.split(' '))

/** Days by time, months by the calendar, rows of one key each as they stand, and the others by size. */
function inOrder(rows: readonly ViewRow[], isDate: boolean, isEachOnce: boolean): ViewRow[] {
  if (isDate) return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const folded = (key: string) => key.toLowerCase().replace(/[يى]/g, 'ی').replace('ك', 'ک')
  const calendar = calendars.find((names) => rows.every(({ key }) => names.includes(folded(key))))
  if (calendar)
    return rows.toSorted((a, b) => calendar.indexOf(folded(a.key)) - calendar.indexOf(folded(b.key)))
  if (isEachOnce) return [...rows]
  return rows.toSorted(
    (a, b) => Number(b.value ?? Number.NEGATIVE_INFINITY) - Number(a.value ?? Number.NEGATIVE_INFINITY),
  )
}

/** What no chart and no page could hold goes together into one row. */
function shortened(
  rows: ViewRow[],
  groups: ReadonlyMap<string, (string | null)[]>,
  { measure }: View,
  other: string,
  isDate: boolean,
): ViewRow[] {
  if (rows.length <= most.keys) return rows
  if (isDate) return rows.slice(-most.keys)
  const rest = rows.slice(most.keys - 1).flatMap(({ key }) => groups.get(key)!)
  return [...rows.slice(0, most.keys - 1), rowOf(other, rest, measure)]
}

function shareOf(rows: readonly ViewRow[], total: string | null, { measure }: View): string | undefined {
  if ((measure !== 'sum' && measure !== 'count') || total === null || rows.length < 2) return undefined
  const values = known(rows.map(({ value }) => value))
  if (values.some((value) => value.startsWith('-')) || Number(total) <= 0) return undefined
  return percentOf(measured('max', values)!, total)
}

function changeOf(rows: readonly ViewRow[]): string | undefined {
  const values = known(rows.map(({ value }) => value))
  const [first, last] = [values[0], values.at(-1)]
  if (values.length < 2 || first === undefined || last === undefined || Number(first) <= 0) return undefined
  const { units } = exactOf([first, last])
  return inTenths(divided((units[1]! - units[0]!) * 100n, 0, units[0]!))
}

const percentOf = (part: string, whole: string): string => {
  const { units } = exactOf([part, whole])
  return inTenths(divided(units[0]! * 100n, 0, units[1]!))
}

/** One digit behind the point. */
const inTenths = (decimal: string): string => Number(decimal).toFixed(1).replace(/\.0$/, '')

function scatterOf({ rows }: Table, view: View): Answer {
  const points = rows
    .map((row) => [row[view.by], row[view.column ?? view.by]] as const)
    .filter(
      (point): point is [string, string] => typeof point[0] === 'string' && typeof point[1] === 'string',
    )
    .slice(0, most.points)
    .map(([x, y]): [number, number] => [Number(x), Number(y)])
  return { view, rows: [], total: null, points }
}

/** Questions for a table that nobody has asked any: by its days, by its names, and its numbers against each other. */
export function usualViews({ columns, rows }: Table, distinct: readonly number[]): Omit<View, 'title'>[] {
  const places = columns.map((_, place) => place)
  const number = places.find((place) => isNumeric(columns[place]!.kind))
  const measure =
    number === undefined
      ? ({ measure: 'count' } as const)
      : ({ measure: columns[number]!.kind === 'percent' ? 'mean' : 'sum', column: number } as const)
  const day = places.find((place) => columns[place]!.kind === 'date')
  const names = places.filter(
    (place) => columns[place]!.kind === 'text' && distinct[place]! >= 2 && distinct[place]! <= 40,
  )
  const numbers = places.filter((place) => isNumeric(columns[place]!.kind))
  return [
    ...(day === undefined
      ? []
      : [
          {
            by: day,
            ...measure,
            chart: 'line' as const,
            ...(distinct[day]! > 31 && { bucket: 'month' as const }),
          },
        ]),
    ...names.slice(0, 2).map((by) => ({ by, ...measure, chart: 'bar' as const })),
    ...(numbers.length > 1 && rows.length >= 8
      ? [{ by: numbers[0]!, column: numbers[1]!, measure: 'sum' as const, chart: 'scatter' as const }]
      : []),
  ].slice(0, 3)
}
