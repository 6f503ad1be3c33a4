/** The common interface of all table formats: rows of cells as written, which can be read repeatedly. */

export type Row = string[]

/** Receives a row; returning `false` ends the reading. */
export type RowVisitor = (row: Row) => unknown

export interface RowSource {
  /** Display name, made of file and sheet. */
  name: string
  /** Column names, if the format defines them; otherwise the first row may contain them. */
  names?: string[]
  rows(visit: RowVisitor): Promise<void>
  /** Faults found while reading; complete after the last row. */
  faults: SourceFaults
}

export interface SourceFaults {
  /** Invalid characters in the text's encoding. */
  broken: number
  /** Lines that have more cells than the table has columns; some of them, and how many. */
  skipped: { count: number; examples: string[] }
  /** JSON records that are invalid or too long. */
  unparsed: { count: number; examples: string[] }
  /** Number of merged ranges whose value was repeated in all of their rows. */
  merged: number
  /** Only for a text: the rows and columns of its table beyond the limits; `read`: the columns that were read. */
  beyond?: { rows: number; columns: number; read: number }
  /** Only for a text: the number of characters that were read, and its length. */
  cut?: { read: number; of: number }
  encoding?: string
}

export const noFaults = (): SourceFaults => ({
  broken: 0,
  skipped: { count: 0, examples: [] },
  unparsed: { count: 0, examples: [] },
  merged: 0,
})

export const maxColumns = 256
