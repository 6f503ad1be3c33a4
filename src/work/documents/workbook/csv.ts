import { printable } from '../prepare.ts'
import { cellValue, kindOf, looksLikeFormula, numberIn } from './cells.ts'
import type { ColumnKind, Sheet } from './workbook.ts'

/**
 * A sheet as CSV (RFC 4180) in UTF-8 with the byte order mark by which Excel recognises it. Numbers are written in Latin digits without grouping, so
 * that every program reads them; a text that a spreadsheet would calculate gets an apostrophe before it.
 */
export function toCsv({ columns, rows }: Sheet): string {
  const kinds = columns.map((column, place) =>
    kindOf(
      column,
      rows.map((row) => row[place] ?? null),
    ),
  )
  const lines = [
    columns.map(({ title }) => textField(title)),
    ...rows.map((row) => kinds.map((kind, place) => field(cellValue(row[place], kind), kind))),
  ]
  return `\ufeff${lines.map((line) => line.join(',')).join('\r\n')}\r\n`
}

function field(value: ReturnType<typeof cellValue>, kind: ColumnKind): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  if (typeof value === 'number')
    return kind === 'percent' ? `${Number((value * 100).toPrecision(15))}%` : String(value)
  return typeof value === 'boolean' ? String(value).toUpperCase() : textField(value)
}

function textField(text: string): string {
  const own = printable(text)
  const safe = looksLikeFormula(own) && numberIn(own) === undefined ? `'${own}` : own
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
