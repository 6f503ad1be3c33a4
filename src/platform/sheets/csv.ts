import { inPieces, printable, type Sheet, type SheetColumn, type SheetValue } from './sheet.ts'

/**
 * A table as CSV (RFC 4180) in UTF-8, with the byte order mark by which Excel recognises it. Numbers are written in Latin digits without grouping, so
 * that every program reads them. A text that a spreadsheet would calculate or take for a number or a date gets an apostrophe before it.
 */
export const csvBytes = (
  sheet: Sheet,
  rows: AsyncIterable<readonly SheetValue[]>,
): AsyncGenerator<Buffer, void, undefined> => inPieces(linesOf(sheet, rows))

async function* linesOf(
  { columns }: Sheet,
  rows: AsyncIterable<readonly SheetValue[]>,
): AsyncGenerator<string> {
  yield `\ufeff${columns.map(({ title }) => quoted(title)).join(',')}\r\n`
  for await (const row of rows)
    yield `${columns.map((column, at) => fieldOf(column, row[at] ?? null)).join(',')}\r\n`
}

function fieldOf({ kind }: SheetColumn, value: SheetValue): string {
  if (value === null) return ''
  if (kind === 'label') return quoted(String(value))
  if (kind !== 'text') return String(value)
  const text = printable(String(value))
  return quoted(isMisread(text) ? `'${text}` : text)
}

/** Excel looks for formulas behind spaces too. */
const formula = /^[\s\u200e\u200f\ufeff]*[=+\-@\t\r\n＝＋－＠]/
/** Digits of any script with signs between them, as numbers, dates and times have them. A number of few digits stays the same number. */
const figures = /^[\s'\p{Sc}(]*\p{Nd}[\p{Nd}\s.,٬٫:/\-eE+%٪)\p{Sc}]*$/u
const shortNumber = /^(0|[1-9][0-9]{0,14})$/
const monthAndDay =
  /^(\d{1,4}[-/ .]?)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/ .]?\d{0,4}$/i

/** Whether a spreadsheet would show something else than this text. */
const isMisread = (text: string): boolean =>
  formula.test(text) ||
  (figures.test(text) && !shortNumber.test(text)) ||
  (monthAndDay.test(text) && /\d/.test(text))

const quoted = (text: string): string =>
  /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
