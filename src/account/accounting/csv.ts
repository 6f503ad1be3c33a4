/** Rows of a CSV file, parsed by csv-parse: RFC 4180, and the other usual separators. */
import { pipeline } from 'node:stream'
import type { CsvError as ParserError } from 'csv-parse'

/** A row of the file, with the line on which it begins. */
export interface CsvRow {
  line: number
  cells: string[]
}

/** Thrown for a file that is no CSV; `line` is where its row begins. */
export class CsvError extends Error {
  override name = 'CsvError'
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const maxCellCharacters = 100_000
/** The largest row in memory: a quote that nobody closes would otherwise take in the rest of the file. */
const maxRowCharacters = 2_000_000

/**
 * Reads CSV (RFC 4180; also with `;` or a tab between cells, whichever the first line has most) as it comes, one row in
 * memory at a time. Empty lines are left out. Throws `CsvError`.
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const { CsvError: Refused, parse } = await import('csv-parse')
  const pieces = chunks[Symbol.asyncIterator]()
  const head = await headOf(pieces)
  let line = 1
  /** The first lines of rows that are parsed and not yet read. */
  const begins: number[] = []
  const parser = parse({
    delimiter: separatorOf(head),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowCharacters,
    on_record(cells) {
      const isEmpty = cells.length === 1 && cells[0] === ''
      if (!isEmpty) begins.push(line)
      if (cells.some((cell) => cell.length > maxCellCharacters))
        throw new CsvError(line, 'a cell is too long')
      // The parser's own line count is not used: within quotes it takes CR LF for two lines.
      line += 1 + cells.reduce((sum, cell) => sum + lineEndsIn(cell), 0)
      return isEmpty ? null : cells
    },
  })
  // Any failure ends the parser, and the loop below throws it.
  pipeline(withHead(head, pieces), parser, () => {})
  try {
    for await (const cells of parser as AsyncIterable<string[]>) yield { line: begins.shift()!, cells }
  } catch (error) {
    throw error instanceof Refused ? new CsvError(line, reasonOf(error)) : error
  }
}

/** Reads up to the end of the first line and drops a byte order mark. */
async function headOf(pieces: AsyncIterator<string>): Promise<string> {
  let head = ''
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    head += next.value
    if (head.includes('\n') || head.length >= maxCellCharacters) break
  }
  return head.replace(/^\uFEFF/, '')
}

function separatorOf(head: string): string {
  const [first = ''] = head.split('\n', 1)
  const count = (separator: string): number => first.split(separator).length
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best))
}

async function* withHead(head: string, pieces: AsyncIterator<string>): AsyncGenerator<string> {
  yield head
  yield* { [Symbol.asyncIterator]: () => pieces }
}

function lineEndsIn(cell: string): number {
  let count = 0
  for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count++
  return count
}

/** The reason in our own words, since the parser's messages quote the file. */
function reasonOf({ code }: ParserError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is not closed'
  if (code === 'CSV_MAX_RECORD_SIZE') return 'a row is too long'
  if (code === 'CSV_INVALID_CLOSING_QUOTE') return 'text follows a closed quote'
  return 'a quote stands in the middle of a cell'
}
