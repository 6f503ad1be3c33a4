/** Cells of CSV (RFC 4180). Numbers are written in Latin digits without grouping, so that every program reads them. */
import { decimalOf } from '../values/numerals.ts'

/** Characters with which a formula begins. */
const looksLikeFormula = /^[=+\-@\t\r\n＝＋－＠]/

/** A text that a spreadsheet would calculate gets an apostrophe before it. */
export function textField(text: string): string {
  const own = printable(text)
  const safe = looksLikeFormula.test(own) && decimalOf(own) === undefined ? `'${own}` : own
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Removes characters that XML and CSV cannot contain. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '')
