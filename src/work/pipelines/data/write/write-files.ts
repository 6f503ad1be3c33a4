/** Writes a table as files, row by row, during a second pass over the sources. */
import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { eachRow } from '../columns/load.ts'
import { type TableStore, TextColumn } from '../columns/store.ts'
import { type ReadSpec, sourcesOf } from '../read-table.ts'
import type { Input } from '../rows/open.ts'
import { textField } from './csv.ts'
import { type SheetOptions, SheetWriter } from './sheet.ts'

export type { SheetOptions }

export interface WriteOptions {
  /** The most bytes of cleaned.csv. */
  maxCsvBytes: number
  sheet?: SheetOptions
}

/** Rows that each file holds. */
export interface WrittenRowCounts {
  csv: number
  sheet?: number
}

export const fileNames = { csv: 'cleaned.csv', sheet: 'workbook.xlsx' }
const pieceCharacters = 1 << 20

export async function writeFiles(
  { inputs, spec, maxCsvBytes, sheet: sheetOptions }: { inputs: Input[]; spec: ReadSpec } & WriteOptions,
  store: TableStore,
  folder: string,
): Promise<WrittenRowCounts> {
  using csv = new CsvWriter(path.join(folder, fileNames.csv), store, maxCsvBytes)
  using sheet = sheetOptions && new SheetWriter(path.join(folder, fileNames.sheet), sheetOptions, store.rows)
  let at = 0
  await eachRow(await sourcesOf(inputs, spec), spec.table, (cells) => {
    if (at === store.rows) return false
    if (csv.hasRoom) csv.add(at, cells)
    if (sheet && at >= sheetOptions!.begun && sheet.hasRoom) sheet.add(store, at, cells)
    at += 1
    return undefined
  })
  csv.finish()
  sheet?.finish()
  return { csv: csv.rows, ...(sheet && { sheet: sheet.rows }) }
}

/** Writes CSV in UTF-8 with the byte order mark by which spreadsheets recognise it. */
class CsvWriter implements Disposable {
  readonly #file: number
  readonly #store: TableStore
  readonly #max: number
  #text: string
  #bytes = 0
  rows = 0

  constructor(file: string, store: TableStore, maxBytes: number) {
    this.#file = openSync(file, 'w')
    this.#store = store
    this.#max = maxBytes
    const titles = store.columns.map(({ spec: { name, unit } }) =>
      textField(unit ? `${name} (${unit})` : name),
    )
    this.#text = `\ufeff${titles.join(',')}\r\n`
  }

  get hasRoom(): boolean {
    return this.#bytes + 3 * this.#text.length < this.#max
  }

  add(at: number, cells: readonly string[]): void {
    const fields = this.#store.columns.map((column, place) => {
      const text = column.textAt(at)
      if (column instanceof TextColumn)
        return textField(text ?? (column.words ? '' : column.displayTextOf(cells[place] ?? '')))
      return text === null ? '' : column.spec.kind === 'percent' ? `${text}%` : text
    })
    this.#text += `${fields.join(',')}\r\n`
    this.rows += 1
    if (this.#text.length > pieceCharacters) this.#flush()
  }

  #flush(): void {
    this.#bytes += writeSync(this.#file, this.#text)
    this.#text = ''
  }

  finish(): void {
    this.#flush()
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
