import { decimalOf, percentOf } from '../values/numerals.ts'
import { hasDigitGroups, isComma, withoutDigitGroups } from './digit-groups.ts'

/** Rows of cells as they were written; whether the first names the columns is not known yet. */
export type Grid = string[][]

export interface DelimitedTable {
  grid: Grid
  /** Lines inside the table with more cells than columns, which cannot be assigned to columns. */
  skipped: string[]
  /** Rows and columns beyond the limits. */
  beyond: OmittedCounts
}

export interface OmittedCounts {
  rows: number
  columns: number
}

/** Number of lines before and after a table that might be mistaken for rows. */
const maxProse = 3
export const limits = { recordLines: 20, columns: 60, rows: 5_000, width: 5_000 }

/** Finds the largest delimited table in a text. `isWholeText`: the text contains nothing else, so ragged rows belong to it. */
export function delimitedIn(text: string, isWholeText: boolean): DelimitedTable | undefined {
  const lines = text.split(/\r\n?|\n/)
  const found = ['\t', '|', ';', ',', '،', ':'].map((sign) => ({
    sign,
    best: largest(gridsOf(lines, sign, isWholeText)),
  }))
  const rivals = found.flatMap(({ sign, best }) =>
    best && !isComma(sign) && hasDigitGroups(best.grid) ? [best.grid] : [],
  )
  // Commas inside numbers do not separate columns if another sign gives as many rows.
  const isColumns = (sign: string, { grid }: DelimitedTable): boolean => {
    const rival = rivals.find(({ length }) => length >= grid.length)
    if (!isComma(sign) || !rival) return true
    const bare = largest(gridsOf(lines.map(withoutDigitGroups), sign, isWholeText))
    return bare !== undefined && cellCount(bare.grid) > cellCount(rival)
  }
  return largest(found.flatMap(({ sign, best }) => (best && isColumns(sign, best) ? [best] : [])))
}

const largest = (found: readonly DelimitedTable[]): DelimitedTable | undefined =>
  found.toSorted((a, b) => cellCount(b.grid) - cellCount(a.grid))[0]

export const cellCount = (grid: Grid): number => grid.length * (grid[0]?.length ?? 0)

const nothingBeyond: OmittedCounts = { rows: 0, columns: 0 }

function gridsOf(lines: readonly string[], sign: string, isWholeText: boolean): DelimitedTable[] {
  const grids: DelimitedTable[] = []
  for (let at = 0; at < lines.length; ) {
    const { grid, skipped = [], beyond = nothingBeyond, next } = gridAt(lines, at, sign, isWholeText)
    if (grid && isTable(grid, sign, isWholeText)) grids.push({ grid, skipped, beyond })
    at = next
  }
  return grids
}

function gridAt(
  lines: readonly string[],
  start: number,
  sign: string,
  isWholeText: boolean,
): { grid?: Grid; skipped?: string[]; beyond?: OmittedCounts; next: number } {
  const first = recordAt(lines, start, sign)
  const width = first.cells.length
  if (width < 2 || width > limits.width) return { next: start + 1 }
  const read = Math.min(width, limits.columns)
  const beyond = { rows: 0, columns: width - read }
  const grid: Grid = [first.cells.slice(0, read)]
  const written = [lines[start]!]
  const skipped: string[] = []
  let at = first.next
  while (at < lines.length) {
    if (sign === '|' && isRule(lines[at]!)) {
      at += 1
      continue
    }
    if (isWholeText && lines[at]!.trim() === '') {
      at += 1
      continue
    }
    const { cells, next } = recordAt(lines, at, sign)
    const belongs =
      cells.length === width || (isWholeText ? cells.length > 1 : width >= 4 && cells.length === width - 1)
    if (!belongs && !isRaggedRow(cells, next)) break
    if (cells.slice(width).some((cell) => cell !== '')) {
      skipped.push(lines[at]!)
      at = next
      continue
    }
    if (grid.length <= limits.rows) {
      grid.push(Array.from({ length: read }, (_, place) => cells[place] ?? ''))
      written.push(lines[at]!)
    } else beyond.rows += 1
    at = next
  }
  const own = isWholeText ? grid : withoutProse(withoutLead(grid, sign), written, sign)
  return { grid: own, skipped, beyond, next: at }

  /** A row with one cell too few or too many does not end the table. */
  function isRaggedRow(cells: readonly string[], next: number): boolean {
    if (cells.length < 2) return false
    const isLast = next >= lines.length || lines[next]!.trim() === ''
    return isLast
      ? grid.length > 2 && cells.some(isNumber)
      : recordAt(lines, next, sign).cells.length === width
  }
}

/** Removes the words before a table that begins within a line: `Here is the table: month,sales`. */
function withoutLead(grid: Grid, sign: string): Grid {
  const [first, ...rest] = grid
  const lead = sign === ':' ? null : /^.*[:：]\s+(?=\S)/.exec(first![0]!)
  return lead ? [[first![0]!.slice(lead[0].length), ...first!.slice(1)], ...rest] : grid
}

/**
 * Removes surrounding sentences that happen to have as many commas as the rows. A row counts as a sentence only if it is punctuated like
 * one and contains no number: losing a data row would be worse than keeping a sentence.
 */
function withoutProse(grid: Grid, written: readonly string[], sign: string): Grid {
  const isSpaced = (line: string) => line.includes(`${sign} `)
  const areSpaced = written.filter(isSpaced).length * 2 > written.length
  const isProse = (row: number) =>
    (/[.!?؟:؛…]\s*$/.test(written[row]!) || (isSpaced(written[row]!) && !areSpaced)) &&
    !grid[row]!.some(isNumber)
  let [start, end] = [0, grid.length]
  while (start < maxProse && start < end - 2 && isProse(start)) start += 1
  while (grid.length - end < maxProse && start < end - 2 && isProse(end - 1)) end -= 1
  const rest = grid.slice(start, end)
  return hasNumbers(rest) ? rest : grid
}

/** One record by RFC 4180: quoted cells may hold the sign, doubled quotes and ends of lines. */
function recordAt(lines: readonly string[], start: number, sign: string): { cells: string[]; next: number } {
  let line = lines[start]!
  if (sign === '|') line = line.replace(/^\s*\|/, '').replace(/\|\s*$/, '')
  const cells: string[] = []
  let cell = ''
  let quoted = false
  let next = start + 1
  for (let at = 0; at <= line.length; at += 1) {
    const character = line[at]
    if (character === undefined) {
      if (!quoted) break
      // An unclosed quotation mark is an ordinary character.
      if (next >= lines.length || next - start >= limits.recordLines)
        return { cells: lines[start]!.split(sign).map((each) => each.trim()), next: start + 1 }
      line += `\n${lines[next]}`
      next += 1
      at -= 1
    } else if (quoted) {
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
  return { cells, next }
}

/** The line under the head of a Markdown table. */
const isRule = (line: string): boolean => line.includes('-') && /^[\s|:-]*$/.test(line)

const isNumber = (cell: string): boolean => decimalOf(cell) !== undefined || percentOf(cell) !== undefined

/** Whether a column holds numbers only, below its name. */
const hasNumbers = ([first, ...rows]: Grid): boolean =>
  first!.some(
    (_, place) =>
      rows.every((row) => isNumber(row[place]!) || row[place] === '') &&
      rows.some((row) => isNumber(row[place]!)),
  )

/** Whether rows are a table. Prose has commas too, so the cells must be short. */
function isTable(grid: Grid, sign: string, isWholeText: boolean): boolean {
  if (grid.length < 2) return false
  if (sign === ':') return grid.length >= 3 && grid[0]!.length === 2 && grid.every((row) => isNumber(row[1]!))
  if (isWholeText || sign === '\t' || sign === '|') return grid[0]!.some((cell) => cell !== '')
  const areShort = grid.every((row) => row.every((cell) => cell.length <= 80))
  return areShort && (hasNumbers(grid) || grid.length >= 4)
}
