/** Groups of rows: by words, by values and by time. */
import type { ColumnSpec } from './columns/decide.ts'
import { missingValue, type NumberColumn, type TableStore, TextColumn } from './columns/store.ts'
import { dayText, twoDigits } from './values/calendar.ts'
import { maxMoments } from './view-order.ts'
import type { Bucket, View } from './views.ts'

export interface RowGroups {
  view: View
  of: ColumnSpec
  keys: string[]
  /** The group of each row, -1 for none. */
  groups: Int32Array
  isTime: boolean
}

/** Groups the rows of a table by words, values or times; times become months, then years, if there are too many. */
export function groupedBy(store: TableStore, view: View): RowGroups {
  const column = store.columns[view.by]!
  if (column instanceof TextColumn) return groupedWords(column, view, store.rows)
  const { kind } = column.spec
  if (kind !== 'date' && kind !== 'time') return groupedValues(column, view, store.rows)
  const wanted: Bucket[] = kind === 'time' ? ['hour'] : [view.bucket ?? 'day', 'month', 'year']
  for (const bucket of wanted.slice(wanted.lastIndexOf(wanted[0]!))) {
    const found = groupedMoments(column, { ...view, bucket }, store.rows)
    if (found.keys.length <= maxMoments) return found
  }
  return groupedMoments(column, { ...view, bucket: kind === 'time' ? 'hour' : 'year' }, store.rows)
}

function groupedWords(column: TextColumn, view: View, rows: number): RowGroups {
  const groups = column.words?.subarray(0, rows) ?? new Int32Array(rows).fill(-1)
  return { view, of: column.spec, keys: column.displayTexts, groups, isTime: false }
}

function groupByKey<Key>(
  rows: number,
  keyOf: (row: number) => Key | undefined,
  nameOf: (key: Key) => string,
) {
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

function groupedValues(column: NumberColumn, view: View, rows: number): RowGroups {
  const { values, spec } = column
  const texts = new Map<bigint, string>()
  const found = groupByKey(
    rows,
    (at) => {
      const value = values[at]!
      if (value === missingValue) return undefined
      if (!texts.has(value)) texts.set(value, column.textAt(at)!)
      return value
    },
    (value) => texts.get(value)!,
  )
  return { view, of: spec, ...found, isTime: false }
}

function groupedMoments({ values, spec }: NumberColumn, view: View, rows: number): RowGroups {
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
    view.bucket === 'hour'
      ? `${twoDigits(Math.floor((Number(seconds) % 86_400) / 3_600))}:00`
      : dayKey(seconds)
  const found = groupByKey(
    rows,
    (row) => (values[row] === missingValue ? undefined : keyOf(values[row]!)),
    (key) => key,
  )
  return { view, of: spec, ...found, isTime: true }
}
