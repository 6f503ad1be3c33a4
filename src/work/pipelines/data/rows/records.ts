/** Splits a stream into delimited records, by RFC 4180 and common deviations. */
import type { Row } from './source.ts'

/** The most characters of a quoted cell. A longer one was never closed, so its quotation mark is an ordinary character. */
const maxQuoted = 100_000
/** The most characters of a record; a longer one is cut there. */
const maxRecord = 1 << 20

type RecordHandler = (cells: Row) => unknown

/** Splits a text that arrives in pieces into records. */
export class RecordReader {
  readonly #sign: string
  readonly #take: RecordHandler
  #left = ''
  /** The position in `#left` from which the search for the end of the record continues, and whether it is inside quotation marks. */
  #at = 0
  #quoted = false
  #fieldStart = true
  /** True inside a quoted cell, where a doubled quotation mark means one. */
  #inField = false
  #literal = false
  ended = false

  constructor(sign: string, take: RecordHandler) {
    this.#sign = sign
    this.#take = take
  }

  push(text: string): void {
    this.#left = this.#left === '' ? text : this.#left + text
    this.#read(false)
  }

  end(): void {
    this.#read(true)
    if (this.#quoted && !this.ended && this.#left !== '') {
      this.#asLiteral()
      this.#read(true)
    }
    if (!this.ended && this.#left !== '') this.#emit(this.#left)
    this.#left = ''
  }

  #read(isLast: boolean): void {
    let start = 0
    const text = this.#left
    while (!this.ended) {
      const end = this.#endOfRecord(text, start)
      if (end < 0) break
      const isPair = text[end] === '\r' && text[end + 1] === '\n'
      // The second character of a line end may be in the next chunk.
      if (text[end] === '\r' && end + 1 === text.length && !isLast) {
        this.#at = end
        break
      }
      this.#emit(text.slice(start, end))
      start = end + (isPair ? 2 : 1)
      this.#at = start
      this.#quoted = false
      this.#fieldStart = true
      this.#inField = false
      this.#literal = false
    }
    if (start > 0) {
      this.#left = text.slice(start)
      this.#at -= start
    }
    if (this.#quoted && this.#left.length > maxQuoted && !this.ended) {
      this.#asLiteral()
      this.#read(isLast)
    }
    if (this.#left.length > maxRecord && !this.ended) this.#cut()
  }

  #asLiteral(): void {
    this.#literal = true
    this.#quoted = false
    this.#inField = false
    this.#at = 0
  }

  #cut(): void {
    this.#emit(this.#left)
    this.#left = ''
    this.#asLiteral()
    this.#literal = false
  }

  /** End of the record; -1 if it has not arrived yet. */
  #endOfRecord(text: string, start: number): number {
    const sign = this.#sign.charCodeAt(0)
    let at = Math.max(this.#at, start)
    let quoted = this.#quoted
    let fieldStart = at === start ? true : this.#fieldStart
    let inField = at === start ? false : this.#inField
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (quoted) {
        if (code === 34) quoted = false
      } else if (code === 10 || code === 13) {
        this.#at = at
        return at
      } else if (code === sign) {
        fieldStart = true
        inField = false
      } else if (code === 34) {
        if (!this.#literal && (fieldStart || (inField && text.charCodeAt(at - 1) === 34))) {
          quoted = true
          inField = true
        }
        fieldStart = false
      } else if (code !== 32) fieldStart = false
    }
    this.#at = at
    this.#quoted = quoted
    this.#fieldStart = fieldStart
    this.#inField = inField
    return -1
  }

  #emit(record: string): void {
    if (this.#take(cellsOf(record, this.#sign, this.#literal)) === false) this.ended = true
  }
}

/** The cells of one record, trimmed. `isLiteral`: an unclosed quotation mark is an ordinary character. */
export function cellsOf(record: string, sign: string, isLiteral = false): Row {
  const line = sign === '|' ? withoutBars(record) : record
  if (isLiteral || !line.includes('"')) return line.split(sign).map((cell) => cell.trim())
  const cells: Row = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!
    if (quoted) {
      if (character !== '"') cell += character
      else if (line[at + 1] === '"') {
        cell += '"'
        at += 1
      } else quoted = false
    } else if (character === '"' && cell.trim() === '') {
      quoted = true
      cell = ''
    } else if (character === sign) {
      cells.push(cell.trim())
      cell = ''
    } else cell += character
  }
  cells.push(cell.trim())
  return cells
}

/** Removes the bars around a row of a Markdown table. */
function withoutBars(record: string): string {
  const line = record.trim()
  return line.slice(line.startsWith('|') ? 1 : 0, line.endsWith('|') && line.length > 1 ? -1 : undefined)
}
