/** Source maps (version 3): which place of a bundle came from which place of a file. */

/** A place in a text: both count from 1, columns in UTF-16 units as editors and engines do. */
export interface SourcePosition {
  line: number
  column: number
}

/** The mappings of a source map (version 3), all of one source: the developer's file. */
export type Mappings = string

/** One mapping, counted from 0: the column in the bundle, then the source, and the line and column in it. */
export type Segment = [column: number, source: number, line: number, sourceColumn: number]

/** The mappings of a bundle that lead to one of its sources, by its number. */
export function mappingsOf(mappings: string, source: number): Mappings {
  const writer = new Writer()
  for (const [line, segment] of segmentsOf(mappings)) if (segment[1] === source) writer.add(line, segment)
  return writer.text
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const valueOfDigit = new Map([...digits].map((digit, value) => [digit, value]))

export function* segmentsOf(mappings: string): Generator<[line: number, Segment]> {
  let [source, sourceLine, sourceColumn] = [0, 0, 0]
  for (const [line, text] of mappings.split(';').entries()) {
    let column = 0
    if (text === '') continue
    for (const fields of text.split(',')) {
      const deltas = numbersOf(fields)
      column += deltas[0] ?? 0
      if (deltas.length < 4) continue
      source += deltas[1]!
      sourceLine += deltas[2]!
      sourceColumn += deltas[3]!
      yield [line, [column, source, sourceLine, sourceColumn]]
    }
  }
}

/** Base 64 VLQ: five bits in a digit, the sixth says that more follow; the lowest bit of a number is its sign. */
function numbersOf(fields: string): number[] {
  const numbers: number[] = []
  let [number, shift] = [0, 0]
  for (const digit of fields) {
    const value = valueOfDigit.get(digit) ?? 0
    number += (value & 31) << shift
    shift += 5
    if (value & 32) continue
    numbers.push(number & 1 ? -(number >>> 1) : number >>> 1)
    number = shift = 0
  }
  return numbers
}

function vlq(number: number): string {
  let text = ''
  for (let rest = number < 0 ? (-number << 1) | 1 : number << 1; ; rest >>>= 5) {
    if (rest < 32) return text + digits[rest]
    text += digits[(rest & 31) | 32]
  }
}

class Writer {
  #lines: string[] = []
  #segments: string[] = []
  #column = 0
  #sourceLine = 0
  #sourceColumn = 0

  add(line: number, [column, , sourceLine, sourceColumn]: Segment): void {
    for (; this.#lines.length < line; this.#column = 0) this.#endLine()
    const deltas = [
      column - this.#column,
      0,
      sourceLine - this.#sourceLine,
      sourceColumn - this.#sourceColumn,
    ]
    this.#segments.push(deltas.map(vlq).join(''))
    this.#column = column
    this.#sourceLine = sourceLine
    this.#sourceColumn = sourceColumn
  }

  get text(): string {
    return [...this.#lines, this.#segments.join(',')].join(';')
  }

  #endLine(): void {
    this.#lines.push(this.#segments.join(','))
    this.#segments = []
  }
}
