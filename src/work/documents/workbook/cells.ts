import { latinDigits } from '#platform/words'
import type { Column, ColumnKind, Value } from './workbook.ts'

const plainNumber = /^[-−+]?(?:\d{1,3}(?:[,٬]\d{3})+|\d+)(?:[.٫]\d+)?$/
const isoDate = /^\d{4}-\d{2}-\d{2}$/
/** The most digits of a spreadsheet's number; more would be rounded. */
const maxDigits = 15

/** The number that a text writes, in digits of any script; undefined if it is no number, or a code: 007, ۰۹۱۲…, card numbers. */
export function numberIn(text: string): number | undefined {
  const latin = latinDigits(text.trim())
  if (!plainNumber.test(latin)) return undefined
  const digits = latin.replace(/[^\d]/g, '')
  const isCode = /^[-−+]?0\d/.test(latin) || digits.length > maxDigits || latin.startsWith('+')
  if (isCode) return undefined
  return Number(latin.replace(/[,٬]/g, '').replace('٫', '.').replace('−', '-'))
}

/** The percentage that a text writes, as a fraction of one. */
export function percentIn(text: string): number | undefined {
  const found = /^(.+?)\s?[%٪]$/.exec(text.trim())
  const number = found ? numberIn(found[1]!) : undefined
  // Rounding gives the exact decimal fraction: 0.7 / 100 would be 0.006999999999999999.
  return number === undefined ? undefined : Number((number / 100).toPrecision(maxDigits))
}

/** The date that a text writes, at midnight UTC, so that no time zone moves it. */
export function dateIn(text: string): Date | undefined {
  const latin = latinDigits(text.trim())
  if (!isoDate.test(latin)) return undefined
  const date = new Date(`${latin}T00:00:00Z`)
  return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(latin) ? undefined : date
}

/** What a column holds: the narrowest kind that fits every value. */
export function kindOf(column: Column, values: Iterable<Value>): ColumnKind {
  if (column.kind) return column.kind
  const fits = new Set<ColumnKind>(['number', 'percent', 'date', 'yes-no'])
  let some = false
  for (const value of values) {
    if (value === null || value === '') continue
    some = true
    if (typeof value !== 'number' && !(typeof value === 'string' && numberIn(value) !== undefined))
      fits.delete('number')
    if (typeof value !== 'string' || percentIn(value) === undefined) fits.delete('percent')
    if (typeof value !== 'string' || dateIn(value) === undefined) fits.delete('date')
    if (typeof value !== 'boolean') fits.delete('yes-no')
    if (fits.size === 0) return 'text'
  }
  const [found] = fits
  return some && found ? found : 'text'
}

/** Converts a value to the kind of its column; a value that does not fit stays text. */
export function cellValue(
  value: Value | undefined,
  kind: ColumnKind,
): string | number | boolean | Date | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return value
  if (kind === 'number') return numberIn(value) ?? value
  if (kind === 'percent') return percentIn(value) ?? value
  if (kind === 'date') return dateIn(value) ?? value
  return value
}

/** Whether a text begins like a formula. */
export const looksLikeFormula = (text: string): boolean => /^[=+\-@\t\r\n＝＋－＠]/.test(text)
