import type { ColumnSpec } from './columns/decide.ts'
import { isNumeric } from './figures.ts'
import type { View } from './views.ts'

/** Default views, used if the model planned none: by date, by category, and numbers against each other. */
export function defaultViews(
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
