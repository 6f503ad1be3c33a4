/** Statistics of the columns of a table, exact to the written digits. */
import type { ColumnKind } from './columns/decide.ts'
import {
  missingValue,
  NumberColumn,
  type StoredColumn,
  type TableStore,
  TextColumn,
  valueText,
} from './columns/store.ts'
import { decimalText, ExactSum, quotient } from './values/exact.ts'

/** Statistics of a column, with numbers as decimal text. */
export interface Profile {
  name: string
  kind: ColumnKind
  unit?: string
  count: number
  missing: number
  distinct: number
  /** Only for numbers, as the next three are. */
  sum?: string
  mean?: string
  median?: string
  deviation?: string
  /** Only for numbers, days and times, as `max` is. */
  min?: string
  max?: string
  /** Only for texts: the most frequent values. */
  top?: { value: string; count: number }[]
}

export const isNumeric = (kind: ColumnKind): boolean => kind === 'number' || kind === 'percent'

const maxTop = 8
const maxTopCharacters = 200

export const profileOf = ({ rows, columns }: TableStore): Profile[] =>
  columns.map((column) =>
    column instanceof TextColumn ? textProfile(column, rows) : numberProfile(column, rows),
  )

function textProfile(column: TextColumn, rows: number): Profile {
  const { spec, present, distinct, counts, displayTexts: shown } = column
  const top = topOf(counts).map((word) => ({
    value: shown[word]!.slice(0, maxTopCharacters).toWellFormed(),
    count: counts[word]!,
  }))
  return {
    name: spec.name,
    kind: spec.kind,
    count: present,
    missing: rows - present,
    distinct,
    ...(present > 0 && { top }),
  }
}

/** Indexes of the largest counts; among equal ones the first. */
const topOf = (counts: readonly number[]): number[] =>
  [...counts.keys()].toSorted((a, b) => counts[b]! - counts[a]! || a - b).slice(0, maxTop)

function numberProfile({ spec, values }: NumberColumn, rows: number): Profile {
  const { name, kind, unit } = spec
  const sorted = sortedValues(values, rows)
  const count = sorted.length
  const profile = {
    name,
    kind,
    ...(unit && { unit }),
    count,
    missing: rows - count,
    distinct: distinctOf(sorted),
  }
  if (count === 0) return profile
  const ends = { min: valueText(spec, sorted[0]!), max: valueText(spec, sorted.at(-1)!) }
  if (!isNumeric(kind)) return { ...profile, ...ends }
  const { scale = 0 } = spec
  const sum = sumOf(sorted)
  return {
    ...profile,
    ...ends,
    sum: decimalText(sum, scale),
    mean: quotient(sum, scale, BigInt(count)),
    median: medianOf(sorted, scale),
    ...(count > 1 && { deviation: deviationOf(sorted, Number(sum) / count, scale) }),
  }
}

/** The values in ascending order, without missing ones, which sort first. */
export function sortedValues(values: BigInt64Array, rows = values.length): BigInt64Array {
  const sorted = values.slice(0, rows).sort()
  let first = 0
  while (first < sorted.length && sorted[first] === missingValue) first += 1
  return sorted.subarray(first)
}

export function distinctOf(sorted: BigInt64Array): number {
  let count = 0
  for (let at = 0; at < sorted.length; at += 1) if (at === 0 || sorted[at] !== sorted[at - 1]) count += 1
  return count
}

function sumOf(values: BigInt64Array): bigint {
  const sum = new ExactSum()
  for (const value of values) sum.add(value)
  return sum.value
}

function medianOf(sorted: BigInt64Array, scale: number): string {
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return decimalText(sorted[middle]!, scale)
  return quotient(sorted[middle - 1]! + sorted[middle]!, scale, 2n)
}

/** The standard deviation of a sample; the only figure that is not exact, since roots are not. */
function deviationOf(values: BigInt64Array, mean: number, scale: number): string {
  let squares = 0
  for (const value of values) squares += (Number(value) - mean) ** 2
  return plainText(Math.sqrt(squares / (values.length - 1)) / 10 ** scale)
}

/** A number with at most six decimals, without an exponent. */
export const plainText = (number: number): string => {
  if (!Number.isFinite(number)) return '0'
  const text = number.toFixed(6)
  let end = text.length
  while (text[end - 1] === '0') end -= 1
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end)
}

export type Measure = 'sum' | 'mean' | 'median' | 'min' | 'max' | 'count' | 'distinct'

/** Reduces the values of a column to one number; undefined if there are none. Sorts its argument. */
export function measureOf(measure: Measure, values: BigInt64Array, scale: number): string | undefined {
  if (measure === 'count') return String(values.length)
  if (measure === 'distinct') return String(distinctOf(values.sort()))
  if (values.length === 0) return undefined
  switch (measure) {
    case 'sum':
      return decimalText(sumOf(values), scale)
    case 'mean':
      return quotient(sumOf(values), scale, BigInt(values.length))
    case 'median':
      return medianOf(values.sort(), scale)
    case 'min':
    case 'max': {
      const sorted = values.sort()
      return decimalText(measure === 'min' ? sorted[0]! : sorted.at(-1)!, scale)
    }
  }
}

/** The values of a column as integers, words as their indexes. Undefined if they are not stored. */
export function integersOf(column: StoredColumn): { values: BigInt64Array; scale: number } | undefined {
  if (column instanceof NumberColumn) return { values: column.values, scale: column.spec.scale ?? 0 }
  if (!column.words) return undefined
  return {
    values: BigInt64Array.from(column.words, (word) => (word < 0 ? missingValue : BigInt(word))),
    scale: 0,
  }
}
