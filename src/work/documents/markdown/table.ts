import type { Alignment } from '../model.ts'

/** Wider tables are unreadable; cells beyond this go into the last column. */
const maxColumns = 40

export interface TableRows {
  header: string[]
  rows: string[][]
  align: Alignment[]
  /** Number of consumed lines. */
  length: number
}

/** A table at these lines: a row, a row of dashes with as many cells, and rows until `ends`. */
export function readTable(
  lines: readonly string[],
  start: number,
  ends: (line: string) => boolean,
): TableRows | undefined {
  const align = alignments(lines[start + 1] ?? '')
  if (!align || !lines[start]!.includes('|')) return undefined
  const header = cellsOf(lines[start]!)
  if (header.length !== align.length || header.length > maxColumns) return undefined
  let end = start + 2
  while (end < lines.length && !ends(lines[end]!)) end += 1
  const rows = lines.slice(start + 2, end).map((line) => fitted(cellsOf(line), header.length))
  return { header, rows, align, length: end - start }
}

/** The alignments in `| :-- | :-: | --: |`, along the text: left is the side where a line begins. */
function alignments(line: string): Alignment[] | undefined {
  if (!line.includes('-') || !/^[\s|:-]+$/.test(line) || !/[|:]/.test(line)) return undefined
  const cells = cellsOf(line)
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  return cells.map((cell) => {
    if (!cell.endsWith(':')) return 'start'
    return cell.startsWith(':') ? 'center' : 'end'
  })
}

/** The cells of a line, split at bars without a backslash; the outermost bars separate nothing. */
function cellsOf(line: string): string[] {
  const cells = ['']
  const text = line.trim()
  for (let at = text.startsWith('|') ? 1 : 0; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '\\' && text[at + 1] === '|') {
      cells[cells.length - 1] += '|'
      at += 1
    } else if (character === '\\') {
      cells[cells.length - 1] += text.slice(at, at + 2)
      at += 1
    } else if (character === '|') cells.push('')
    else cells[cells.length - 1] += character
  }
  if (cells.length > 1 && text.endsWith('|') && cells.at(-1) === '') cells.pop()
  return cells.map((cell) => cell.trim())
}

function fitted(cells: string[], columns: number): string[] {
  if (cells.length > columns) return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(' | ')]
  return [...cells, ...Array<string>(columns - cells.length).fill('')]
}
