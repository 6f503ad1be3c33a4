import { decimalText, divided, exactOf } from './numbers.ts'
import type { ColumnKind, Table } from './table.ts'

/** What is known of a column. Numbers are decimal text. */
export interface Profile {
  name: string
  kind: ColumnKind
  unit?: string
  count: number
  missing: number
  distinct: number
  /** Of numbers. */
  sum?: string
  mean?: string
  median?: string
  deviation?: string
  /** Of numbers and days. */
  min?: string
  max?: string
  /** The most frequent values of texts. */
  top?: { value: string; count: number }[]
}

export const isNumeric = (kind: ColumnKind): boolean => kind === 'number' || kind === 'percent'

const mostTop = 8

export function profileOf({ columns, rows }: Table): Profile[] {
  return columns.map(({ name, kind, unit }, place) => {
    const values = rows.map((row) => row[place]!).filter((value) => value !== null)
    const counts = new Map<string, number>()
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
    const profile = {
      name,
      kind,
      ...(unit && { unit }),
      count: values.length,
      missing: rows.length - values.length,
      distinct: counts.size,
    }
    if (values.length === 0) return profile
    if (isNumeric(kind)) return { ...profile, ...spread(values) }
    const sorted = values.toSorted()
    if (kind === 'date') return { ...profile, min: sorted[0]!, max: sorted.at(-1)! }
    const top = [...counts].map(([value, count]) => ({ value, count })).toSorted((a, b) => b.count - a.count)
    return { ...profile, top: top.slice(0, mostTop) }
  })
}

function spread(values: readonly string[]) {
  return {
    sum: measured('sum', values)!,
    mean: measured('mean', values)!,
    median: measured('median', values)!,
    min: measured('min', values)!,
    max: measured('max', values)!,
    ...(values.length > 1 && { deviation: deviationOf(values) }),
  }
}

/** Of a sample. */
function deviationOf(values: readonly string[]): string {
  const numbers = values.map(Number)
  const mean = Number(measured('mean', values))
  const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0)
  return plainText(Math.sqrt(squares / (numbers.length - 1)))
}

/** Six digits behind the point, without an exponent. */
export const plainText = (number: number): string =>
  Number.isFinite(number) ? number.toFixed(6).replace(/\.?0+$/, '') : '0'

export type Measure = 'sum' | 'mean' | 'median' | 'min' | 'max' | 'count'

/** One number of many, exact as they are written; undefined where there are none to measure. */
export function measured(measure: Measure, values: readonly string[]): string | undefined {
  if (measure === 'count') return String(values.length)
  if (values.length === 0) return undefined
  const { scale, units } = exactOf(values)
  const sorted = units.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const sum = units.reduce((total, each) => total + each, 0n)
  switch (measure) {
    case 'sum':
      return decimalText(sum, scale)
    case 'mean':
      return divided(sum, scale, BigInt(units.length))
    case 'min':
      return decimalText(sorted[0]!, scale)
    case 'max':
      return decimalText(sorted.at(-1)!, scale)
    case 'median': {
      const middle = sorted.length >> 1
      if (sorted.length % 2 === 1) return decimalText(sorted[middle]!, scale)
      return divided(sorted[middle - 1]! + sorted[middle]!, scale, 2n)
    }
  }
}
