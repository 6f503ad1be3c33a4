import type { Language } from '../model.ts'

/** The neutral model of a workbook. */
export interface Workbook {
  title?: string
  author?: string
  /** When the workbook was made. */
  dateMs?: number
  language: Language
  sheets: Sheet[]
}

export interface Sheet {
  name: string
  columns: Column[]
  /** A value for each column; what is missing is empty. */
  rows: Value[][]
}

export interface Column {
  title: string
  /** Default: detected from the values. */
  kind?: ColumnKind
}

/**
 * Numbers stay numbers: a text like ۱۲٬۵۰۰ or 18.5% becomes one in a column of numbers. Percentages are parts of one (0.185, or the
 * text ۱۸٫۵٪), dates are `YYYY-MM-DD`, and codes with leading zeros are text.
 */
export type ColumnKind = 'text' | 'number' | 'percent' | 'date' | 'yes-no'

export type Value = string | number | boolean | null

const limits = { sheets: 50, columns: 500, cells: 500_000 }

/** Throws a RangeError if the workbook is too large. */
export function checkWorkbook({ sheets }: Workbook): void {
  if (sheets.length === 0) throw new RangeError('A workbook has at least one sheet.')
  if (sheets.length > limits.sheets) throw new RangeError(`A workbook has at most ${limits.sheets} sheets.`)
  if (sheets.some(({ columns }) => columns.length > limits.columns))
    throw new RangeError(`A sheet has at most ${limits.columns} columns.`)
  const cells = sheets.reduce((sum, { columns, rows }) => sum + columns.length * (rows.length + 1), 0)
  if (cells > limits.cells) throw new RangeError(`A workbook has at most ${limits.cells} cells.`)
}
