/** Questions to a table and their answers, computed from its columns. */
import type { ColumnSpec } from './columns/decide.ts'
import { type NumberColumn, none, type Store, type StoredColumn, TextColumn } from './columns/store.ts'
import { integersOf, isNumeric, type Measure, measured } from './figures.ts'
import { dayText, two } from './values/calendar.ts'
import { divided, exactOf } from './values/exact.ts'
import { foldKey } from './values/fold.ts'

export type ChartType = 'bar' | 'line' | 'area' | 'pie' | 'scatter' | 'none'
export type Bucket = 'day' | 'month' | 'year' | 'hour'

/** A question to the table: a number for each value of a column, or two columns of numbers against each other. */
export interface View {
  title: string
  /** Places of columns. */
  by: number
  column?: number
  measure: Measure
  bucket?: Bucket
  /** Only so many of the largest; the others are one row together. */
  top?: number
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
  /** Groups that there are; those without a row are together in the last one. */
  groups: number
  /** Of the rows together, by the same measure. */
  total: string | null
  /** Part of the largest row in all, in percent; of sums and counts that are nowhere negative. */
  share?: string
  /** From the first to the last row that are known, in percent; of days, in their order. */
  change?: string
  points?: [number, number][]
  /** Rows that could have been points. */
  pairs?: number
}

/** Whether its numbers count rows or values, whatever the column holds. */
export const countsOnly = ({ measure }: View): boolean => measure === 'count' || measure === 'distinct'

/** Rows of an answer: those of days stay in their order and become months, then years. */
const most = { words: 40, moments: 400, points: 1_000 }

export function answerView(store: Store, view: View, other: string): Answer {
  if (view.chart === 'scatter') return scatterOf(store, view)
  const found = groupedBy(store, view)
  const { keys, of, isTime } = found
  const measured = measuring(store, found, view)
  const all = keys.map(
    (key, group): ViewRow => ({ key, value: measured.value(group), count: measured.count(group) }),
  )
  const isEachOnce = all.every(({ count }) => count === 1)
  const ordered = inOrder([...all.keys()], all, isTime, isEachOnce)
  const rows = shortened(ordered, all, measured, { view, other, isTime })
  const total = measured.total()
  const share = shareOf(rows, total, view)
  const change = isTime && of.kind === 'date' ? changeOf(rows) : undefined
  return {
    view: found.view,
    rows,
    groups: keys.length,
    total,
    ...(share && { share }),
    ...(change && { change }),
  }
}

interface Grouped {
  view: View
  of: ColumnSpec
  keys: string[]
  /** The group of each row, -1 for none. */
  groups: Int32Array
  isTime: boolean
}

function groupedBy(store: Store, view: View): Grouped {
  const column = store.columns[view.by]!
  if (column instanceof TextColumn) return groupedWords(column, view, store.rows)
  const { kind } = column.spec
  if (kind !== 'date' && kind !== 'time') return groupedValues(column, view, store.rows)
  const wanted: Bucket[] = kind === 'time' ? ['hour'] : [view.bucket ?? 'day', 'month', 'year']
  for (const bucket of wanted.slice(wanted.lastIndexOf(wanted[0]!))) {
    const found = groupedMoments(column, { ...view, bucket }, store.rows)
    if (found.keys.length <= most.moments) return found
  }
  return groupedMoments(column, { ...view, bucket: kind === 'time' ? 'hour' : 'year' }, store.rows)
}

function groupedWords(column: TextColumn, view: View, rows: number): Grouped {
  const groups = column.words?.subarray(0, rows) ?? new Int32Array(rows).fill(-1)
  return { view, of: column.spec, keys: column.shown, groups, isTime: false }
}

function numbered<Key>(rows: number, keyOf: (row: number) => Key | undefined, nameOf: (key: Key) => string) {
  const places = new Map<Key, number>()
  const groups = new Int32Array(rows)
  for (let row = 0; row < rows; row += 1) {
    const key = keyOf(row)
    if (key === undefined) groups[row] = -1
    else {
      const place = places.get(key) ?? places.size
      places.set(key, place)
      groups[row] = place
    }
  }
  return { keys: [...places.keys()].map(nameOf), groups }
}

function groupedValues(column: NumberColumn, view: View, rows: number): Grouped {
  const { values, spec } = column
  const row = new Map<bigint, string>()
  const found = numbered(
    rows,
    (at) => {
      const value = values[at]!
      if (value === none) return undefined
      if (!row.has(value)) row.set(value, column.textAt(at)!)
      return value
    },
    (value) => row.get(value)!,
  )
  return { view, of: spec, ...found, isTime: false }
}

function groupedMoments({ values, spec }: NumberColumn, view: View, rows: number): Grouped {
  const { calendar = 'gregorian' } = spec
  const days = new Map<number, string>()
  const dayKey = (seconds: bigint): string => {
    const day = Math.floor(Number(seconds) / 86_400)
    const known = days.get(day)
    if (known !== undefined) return known
    const text = dayText(calendar, day)
    const key = view.bucket === 'month' ? text.slice(0, 7) : view.bucket === 'year' ? text.slice(0, 4) : text
    days.set(day, key)
    return key
  }
  const keyOf = (seconds: bigint): string =>
    view.bucket === 'hour' ? `${two(Math.floor((Number(seconds) % 86_400) / 3_600))}:00` : dayKey(seconds)
  const found = numbered(
    rows,
    (row) => (values[row] === none ? undefined : keyOf(values[row]!)),
    (key) => key,
  )
  return { view, of: spec, ...found, isTime: true }
}

interface Measuring {
  value(group: number): string | null
  count(group: number): number
  /** Of several groups together. */
  together(groups: readonly number[]): ViewRow
  total(): string | null
}

/** The values of each group beside each other, so that any measure is one of a slice. */
function measuring({ columns, rows }: Store, { groups, keys }: Grouped, view: View): Measuring {
  const { measure } = view
  const own = view.column === undefined ? undefined : integersOf(columns[view.column]!)
  const counts = new Int32Array(keys.length)
  const starts = new Int32Array(keys.length + 1)
  const holds = (row: number) => groups[row]! >= 0 && (!own || own.values[row] !== none)
  for (let row = 0; row < rows; row += 1) {
    if (groups[row]! >= 0) counts[groups[row]!]! += 1
    if (holds(row)) starts[groups[row]! + 1]! += 1
  }
  for (let group = 0; group < keys.length; group += 1) starts[group + 1]! += starts[group]!
  const values = new BigInt64Array(starts[keys.length]!)
  const next = starts.slice()
  for (let row = 0; own && row < rows; row += 1)
    if (holds(row)) values[next[groups[row]!]!++] = own.values[row]!
  const scale = measure === 'distinct' ? 0 : (own?.scale ?? 0)
  const slice = (group: number) => values.subarray(starts[group], starts[group + 1])
  const of = (own: BigInt64Array) => measured(measure, own, scale) ?? null
  return {
    value: (group) => of(slice(group)),
    count: (group) => counts[group]!,
    together(many) {
      const size = many.reduce((sum, group) => sum + slice(group).length, 0)
      const all = new BigInt64Array(size)
      let at = 0
      for (const group of many) {
        all.set(slice(group), at)
        at += slice(group).length
      }
      return { key: '', value: of(all), count: many.reduce((sum, group) => sum + counts[group]!, 0) }
    },
    total: () => of(values.slice()),
  }
}

const calendars = [
  'فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند',
  'january february march april may june july august september october november december',
  'jan feb mar apr may jun jul aug sep oct nov dec',
  'شنبه یکشنبه دوشنبه سه‌شنبه چهارشنبه پنجشنبه جمعه',
  'monday tuesday wednesday thursday friday saturday sunday',
  'بهار تابستان پاییز زمستان',
].map((names) => names.split(' ').map(foldKey))

/** Days by time, months by the calendar, rows of one key each as they stand, and the others by size. Answers places of rows. */
function inOrder(places: number[], all: readonly ViewRow[], isTime: boolean, isEachOnce: boolean): number[] {
  if (isTime) return places.toSorted((a, b) => (all[a]!.key < all[b]!.key ? -1 : 1))
  const names = all.length > 12 ? [] : all.map(({ key }) => foldKey(key))
  const calendar = calendars.find((list) => names.length > 0 && names.every((name) => list.includes(name)))
  if (calendar) return places.toSorted((a, b) => calendar.indexOf(names[a]!) - calendar.indexOf(names[b]!))
  if (isEachOnce && all.length <= most.words) return places
  const size = (place: number) => Number(all[place]!.value ?? Number.NEGATIVE_INFINITY)
  return places.toSorted((a, b) => size(b) - size(a) || a - b)
}

interface Short {
  view: View
  other: string
  isTime: boolean
}

/** What no chart and no page could hold goes together into one row. */
function shortened(
  order: readonly number[],
  all: readonly ViewRow[],
  measured: Measuring,
  { view, other, isTime }: Short,
): ViewRow[] {
  const limit = isTime
    ? most.moments
    : Math.min(most.words, view.top === undefined ? most.words : view.top + 1)
  if (order.length <= limit) return order.map((place) => all[place]!)
  const head = isTime ? order.slice(-(limit - 1)) : order.slice(0, limit - 1)
  const rest = isTime ? order.slice(0, -(limit - 1)) : order.slice(limit - 1)
  const row = { ...measured.together(rest), key: other }
  const rows = head.map((place) => all[place]!)
  return isTime ? [row, ...rows] : [...rows, row]
}

const known = (values: readonly (string | null)[]): string[] => values.filter((value) => value !== null)

/** The larger of two decimals. */
const larger = (a: string, b: string): string => {
  const { units } = exactOf([a, b])
  return units[0]! >= units[1]! ? a : b
}

function shareOf(rows: readonly ViewRow[], total: string | null, { measure }: View): string | undefined {
  if ((measure !== 'sum' && measure !== 'count') || total === null || rows.length < 2) return undefined
  const values = known(rows.map(({ value }) => value))
  if (values.some((value) => value.startsWith('-')) || Number(total) <= 0) return undefined
  return percentOf(values.reduce(larger), total)
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

function scatterOf({ columns, rows }: Store, view: View): Answer {
  const [x, y] = [columns[view.by], columns[view.column ?? view.by]] as [StoredColumn, StoredColumn]
  const points: [number, number][] = []
  let pairs = 0
  // Evenly over all rows, so that the drawing shows all of them and not the first.
  const both = (row: number) => x.textAt(row) !== null && y.textAt(row) !== null
  for (let row = 0; row < rows; row += 1) if (both(row)) pairs += 1
  const step = Math.max(1, pairs / most.points)
  let seen = 0
  for (let row = 0; row < rows && points.length < most.points; row += 1) {
    if (!both(row)) continue
    if (Math.floor(seen / step) === points.length) points.push([Number(x.textAt(row)), Number(y.textAt(row))])
    seen += 1
  }
  return { view, rows: [], groups: pairs, total: null, points, pairs }
}

/** Questions for a table that nobody has asked any: by its days, by its names, and its numbers against each other. */
export function usualViews(
  columns: readonly ColumnSpec[],
  rows: number,
  distinct: readonly number[],
): Omit<View, 'title'>[] {
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
  const byDay =
    day === undefined ? [] : [{ by: day, ...measure, chart: 'line' as const, ...monthly(distinct[day]!) }]
  return [
    ...byDay,
    ...names.slice(0, 2).map((by) => ({ by, ...measure, chart: 'bar' as const })),
    ...(numbers.length > 1 && rows >= 8
      ? [{ by: numbers[0]!, column: numbers[1]!, measure: 'sum' as const, chart: 'scatter' as const }]
      : []),
  ].slice(0, 3)
}

const monthly = (days: number): { bucket?: 'month' } => (days > 31 ? { bucket: 'month' } : {})
