/** Comma-separated values (RFC 4180): names of columns in the first line, and `NULL` without quotes for no value. */
import { refuse, tablesLimits } from '#cloud/tables'
import { Slice } from '#platform/slices'
import { tablesRefusals } from './refusals.ts'

export interface CsvRows {
  /** The names of the columns. */
  names: readonly string[]
  number: number
  /** An array of objects, whose members are named by the places of their columns. */
  json: string
}

/** Throws RestRefused. */
export async function readCsv(text: string): Promise<CsvRows> {
  const reader = new CsvReader(text.startsWith('\ufeff') ? text.slice(1) : text)
  const names = reader.line().map((cell) => cell ?? '')
  if (names.some((name) => name === '') || new Set(names).size < names.length) refuse(tablesRefusals.csvNames)
  const rows: string[] = []
  const slice = new Slice()
  while (!reader.isOver) {
    const cells = reader.line()
    if (cells.length !== names.length) refuse(tablesRefusals.csvLine(rows.length + 2))
    if (rows.length === tablesLimits.rows) refuse(tablesRefusals.tooManyRows(tablesLimits.rows))
    rows.push(JSON.stringify({ ...cells }))
    if (rows.length * names.length > tablesLimits.values)
      refuse(tablesRefusals.tooManyValues(tablesLimits.values))
    if (slice.isOver()) await slice.next()
  }
  return { names, number: rows.length, json: `[${rows.join(',')}]` }
}

class CsvReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isOver(): boolean {
    return this.#at >= this.#text.length
  }

  /** Returns the cells up to the end of the line, and moves behind it. */
  line(): (string | null)[] {
    const cells: (string | null)[] = []
    do {
      if (cells.length === tablesLimits.columns) refuse(tablesRefusals.tooManyColumns(tablesLimits.columns))
      cells.push(this.#text[this.#at] === '"' ? this.#quoted() : this.#plain())
    } while (this.#take(','))
    if (!this.isOver && !this.#take('\r\n') && !this.#take('\n')) refuse(tablesRefusals.csvQuote)
    return cells
  }

  #take(words: string): boolean {
    if (!this.#text.startsWith(words, this.#at)) return false
    this.#at += words.length
    return true
  }

  #plain(): string | null {
    const end = /[,\r\n]|$/g
    end.lastIndex = this.#at
    const { index } = end.exec(this.#text)!
    const cell = this.#text.slice(this.#at, index)
    this.#at = index
    return cell === 'NULL' ? null : cell
  }

  #quoted(): string {
    const begin = this.#at + 1
    for (let from = begin; ; ) {
      const end = this.#text.indexOf('"', from)
      if (end === -1) return refuse(tablesRefusals.csvQuote)
      if (this.#text[end + 1] !== '"') {
        this.#at = end + 1
        return this.#text.slice(begin, end).replaceAll('""', '"')
      }
      from = end + 2
    }
  }
}
