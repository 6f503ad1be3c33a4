import {
  cellCount,
  delimitedIn,
  type Grid,
  limits as gridLimits,
  type OmittedCounts,
} from './delimited-text.ts'
import { parseLenientJson } from './json-text.ts'

/** A grid, and whether its first row is known to name its columns. */
export interface FoundGrid {
  grid: Grid
  named?: true
  skipped?: string[]
  beyond: OmittedCounts
  /** Set if only a part of the text was read. */
  cut?: { read: number; of: number }
}

const limits = { ...gridLimits, characters: 200_000, attempts: 200 }

/** The largest table in a text: JSON, CSV, TSV or a table of Markdown, in a fence or among the words. */
export function findGrid(text: string): FoundGrid | undefined {
  const read = readLength(text)
  const bounded = text.slice(0, read).replaceAll('\ufeff', '')
  const blocks = fencesIn(bounded)
  const found = [...blocks.map((block) => tableInText(block, true)), tableInText(bounded, false)].filter(
    (each) => each !== undefined,
  )
  const [best] = found.toSorted((a, b) => cellCount(b.grid) - cellCount(a.grid))
  return best && (read < text.length ? { ...best, cut: { read, of: text.length } } : best)
}

/** The number of characters that are read, up to the end of a line: half of a number would be another number. */
function readLength(text: string): number {
  if (text.length <= limits.characters) return text.length
  return text.lastIndexOf('\n', limits.characters - 1) + 1 || limits.characters
}

/** The contents of code fences; an unclosed fence extends to the end. */
function fencesIn(text: string): string[] {
  const blocks: string[] = []
  let open: { sign: string; lines: string[] } | undefined
  for (const line of text.split('\n')) {
    const start = line.trimStart()
    if (open && start.startsWith(open.sign)) {
      blocks.push(open.lines.join('\n'))
      open = undefined
    } else if (open) open.lines.push(line)
    else {
      const sign = ['```', '~~~'].find((each) => start.startsWith(each))
      if (sign) open = { sign: runOf(start, sign[0]!), lines: [] }
    }
  }
  if (open) blocks.push(open.lines.join('\n'))
  return blocks
}

function runOf(text: string, sign: string): string {
  let length = 0
  while (text[length] === sign) length += 1
  return sign.repeat(length)
}

function tableInText(text: string, isWholeText: boolean): FoundGrid | undefined {
  const json = firstJsonTable(text)
  if (json) return json
  return delimitedIn(text, isWholeText)
}

/** The first JSON in a text that is a table. */
function firstJsonTable(text: string): FoundGrid | undefined {
  let attempts = 0
  for (const { index } of text.matchAll(/[[{]/g)) {
    if (attempts++ > limits.attempts) return undefined
    const end = endOfJson(text, index)
    if (end === undefined) continue
    const found = tableOf(parseLenientJson(text.slice(index, end)))
    if (found) return found
  }
  return undefined
}

function endOfJson(text: string, start: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!
    if (quoted) {
      if (character === '\\') at += 1
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return at + 1
      if (depth > 64) return undefined
    }
  }
  return undefined
}

/** A list of objects, a list of lists, an object of lists, or an object that holds one of them. */
function tableOf(value: unknown): FoundGrid | undefined {
  if (Array.isArray(value)) return fromList(value)
  if (typeof value !== 'object' || value === null) return undefined
  const members = Object.entries(value)
  const lists = members.filter((member): member is [string, unknown[]] => Array.isArray(member[1]))
  const [first] = lists
  if (!first) return undefined
  const areColumns =
    lists.length > 1 && lists.every(([, list]) => list.length === first[1].length && list.every(isPlain))
  if (!areColumns) return lists.map(([, list]) => fromList(list)).find((found) => found !== undefined)
  const columns = lists.slice(0, limits.columns)
  const rows = first[1].slice(0, limits.rows).map((_, row) => columns.map(([, list]) => cellOf(list[row])))
  const beyond = beyondOf(first[1].length, lists.length)
  return { grid: [columns.map(([name]) => name), ...rows], named: true, beyond }
}

const beyondOf = (rows: number, columns: number): OmittedCounts => ({
  rows: Math.max(0, rows - limits.rows),
  columns: Math.max(0, columns - limits.columns),
})

function fromList(list: readonly unknown[]): FoundGrid | undefined {
  const rows = list.slice(0, limits.rows)
  if (rows.length > 0 && rows.every((row) => Array.isArray(row) && row.length > 1)) {
    const all = Math.max(...rows.map((row) => (row as unknown[]).length))
    const width = Math.min(limits.columns, all)
    return {
      beyond: beyondOf(list.length, all),
      grid: rows.map((row) => Array.from({ length: width }, (_, place) => cellOf((row as unknown[])[place]))),
    }
  }
  if (
    rows.length === 0 ||
    !rows.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  )
    return undefined
  const all = new Set(rows.flatMap((row) => Object.keys(row as object)))
  const names = [...all].slice(0, limits.columns)
  if (names.length === 0) return undefined
  const cells = rows.map((row) =>
    names.map((name) =>
      cellOf(Object.hasOwn(row as object, name) ? (row as Record<string, unknown>)[name] : null),
    ),
  )
  return { grid: [names, ...cells], named: true, beyond: beyondOf(list.length, all.size) }
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.trim()
  return typeof value === 'object' ? JSON.stringify(value).slice(0, 500) : String(value)
}
