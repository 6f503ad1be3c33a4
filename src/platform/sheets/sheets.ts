/** Tables for spreadsheets: CSV and XLSX of any number of rows, written while they are read, in Persian or English. */
import './errors.ts'

export { type SheetSource, sheetAnswer } from './answer.ts'
export { csvBytes } from './csv.ts'
export type { ColumnKind, Sheet, SheetColumn, SheetFormat, SheetValue } from './sheet.ts'
export { xlsxBytes } from './xlsx.ts'
