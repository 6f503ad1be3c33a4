/** Tables of one kind to the rest of the engine: rows of cells as they are written, from wherever they come, as often as they are asked for. */

export type Row = string[]

/** Takes a row; `false` ends the reading. */
export type Visit = (row: Row) => unknown

export interface RowSource {
  /** Of its file and sheet, for people. */
  name: string
  /** Names of the columns, where the format itself knows them; otherwise the first row may hold them. */
  names?: string[]
  rows(visit: Visit): Promise<void>
  /** What had to be done to read it; complete once it was read. */
  faults: SourceFaults
}

export interface SourceFaults {
  /** In the text's encoding nobody could have written these. */
  broken: number
  /** Lines that have more cells than the table has columns; some of them, and how many. */
  skipped: { count: number; examples: string[] }
  /** Records of JSON that are none, or longer than is read. */
  unparsed: { count: number; examples: string[] }
  /** Ranges of merged cells whose value stands for all of their rows. */
  merged: number
  /** Of a text: what its table holds beyond the bounds, and how many of its characters were read. */
  beyond?: { rows: number; columns: number; read: number }
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
