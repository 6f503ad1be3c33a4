/** A row of the file, with the line on which it begins. */
export interface CsvRow {
  line: number
  cells: string[]
}

/** Thrown for a file that is no CSV; `line` is where. */
export class CsvError extends Error {
  override name = 'CsvError'
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const maxCellCharacters = 100_000

/**
 * Reads CSV (RFC 4180; also with `;` or a tab between cells, whichever the first line has most) as it comes, one row in
 * memory at a time. Empty lines are left out.
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const reader = new CsvReader()
  for await (const chunk of chunks) {
    reader.feed(chunk)
    yield* reader.take()
  }
  reader.end()
  yield* reader.take()
}

class CsvReader {
  #separator: string | undefined
  #waiting = ''
  #rows: CsvRow[] = []
  #cells: string[] = []
  #cell = ''
  /** `closed`: a quoted cell is over, and only a separator or the end of the line may follow. */
  #state: 'plain' | 'quoted' | 'closed' = 'plain'
  #line = 1
  #began = 1
  #afterReturn = false

  take(): CsvRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  feed(chunk: string): void {
    if (this.#separator === undefined) {
      this.#waiting += chunk
      const end = this.#waiting.indexOf('\n')
      if (end < 0 && this.#waiting.length < maxCellCharacters) return
      this.#begin()
      return
    }
    for (const character of chunk) this.#read(character)
  }

  end(): void {
    if (this.#separator === undefined) this.#begin()
    if (this.#state === 'quoted') throw new CsvError(this.#began, 'a quote is not closed')
    if (this.#cell !== '' || this.#cells.length > 0 || this.#state === 'closed') this.#endRow()
  }

  /** The first line is there: the separator can be told. */
  #begin(): void {
    const text = this.#waiting.replace(/^\uFEFF/, '')
    const [first = ''] = text.split('\n', 1)
    const count = (separator: string): number => first.split(separator).length
    this.#separator = [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best))
    this.#waiting = ''
    this.feed(text)
  }

  #read(character: string): void {
    if (character === '\n') {
      this.#line++
      const isOneEnd = this.#afterReturn
      this.#afterReturn = false
      if (isOneEnd) {
        this.#began = this.#line
        return
      }
    }
    this.#afterReturn = false
    if (this.#state === 'quoted') this.#readQuoted(character)
    else if (character === '\n' || character === '\r') {
      this.#afterReturn = character === '\r'
      this.#endRow()
    } else if (character === this.#separator) this.#endCell()
    else if (character === '"') this.#readQuote()
    else if (this.#state === 'closed') throw new CsvError(this.#line, 'text follows a closed quote')
    else this.#add(character)
  }

  #readQuoted(character: string): void {
    if (character === '"') this.#state = 'closed'
    else this.#add(character)
  }

  /** Opens a cell, or stands twice within one. */
  #readQuote(): void {
    if (this.#state === 'closed') this.#add('"')
    else if (this.#cell !== '') throw new CsvError(this.#line, 'a quote stands in the middle of a cell')
    this.#state = 'quoted'
  }

  #add(character: string): void {
    this.#cell += character
    if (this.#cell.length > maxCellCharacters) throw new CsvError(this.#began, 'a cell is too long')
  }

  #endCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'plain'
  }

  #endRow(): void {
    this.#endCell()
    const cells = this.#cells
    this.#cells = []
    if (cells.length > 1 || cells[0] !== '') this.#rows.push({ line: this.#began, cells })
    this.#began = this.#line
  }
}
