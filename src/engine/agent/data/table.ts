import type { FoundGrid } from './find-table.ts'
import { dayOf, decimalOf, measuredOf, percentOf } from './numbers.ts'

export type ColumnKind = 'number' | 'percent' | 'date' | 'text'

export interface Column {
  name: string
  kind: ColumnKind
  /** Of all its numbers. */
  unit?: string
  calendar?: 'jalali' | 'gregorian'
  /** Cells that were not empty and are no value of this kind: they count as missing. */
  unreadable: string[]
}

/** Numbers are plain decimal text, days sort as text, and what is missing is null. */
export interface Table {
  columns: Column[]
  rows: (string | null)[][]
  /** Rows that stand here more than once. */
  repeated: number
  /** Lines that are no part of it, since they have more cells than it has columns. */
  skipped: string[]
}

const missing = /^(?:|-|–|—|n\/?a|null|none|nan|nil|\?|نامشخص|نامعلوم|ندارد|خالی)$/i
/** A column of numbers may hold so few cells that are none. */
const leastShare = 0.8
const mostCharacters = { name: 80, cell: 2_000, unreadable: 60 }
const mostUnreadable = 5

/** A grid with names and kinds. Undefined for one without rows. */
export function tableOf(
  { grid, named, skipped = [] }: FoundGrid,
  numbered: (place: number) => string,
): Table | undefined {
  const isNamed = named ?? namesColumns(grid)
  const body = isNamed ? grid.slice(1) : grid
  const names = uniqueNames(isNamed ? grid[0]! : [], grid[0]?.length ?? 0, numbered)
  const cells = body
    .map((row) =>
      row.map((cell) =>
        missing.test(cell.trim()) ? null : cell.slice(0, mostCharacters.cell).toWellFormed(),
      ),
    )
    .filter((row) => row.some((cell) => cell !== null))
  if (cells.length === 0) return undefined
  const columns = names.map((name, place) =>
    readColumn(
      name,
      cells.map((row) => row[place] ?? null),
    ),
  )
  const rows = cells.map((_, row) => columns.map(({ values }) => values[row]!))
  const distinct = new Set(rows.map((row) => JSON.stringify(row)))
  return {
    columns: columns.map(({ column }) => column),
    rows,
    repeated: rows.length - distinct.size,
    skipped: skipped.map((line) => line.slice(0, mostCharacters.unreadable).toWellFormed()),
  }
}

const isValue = (cell: string): boolean =>
  decimalOf(cell) !== undefined || percentOf(cell) !== undefined || dayOf(cell) !== undefined

const year = /^(?:1[34]|19|20)\d\d$/

/** A first row of names: words where values follow, or at least words that differ. */
function namesColumns(grid: FoundGrid['grid']): boolean {
  const [first = [], ...rest] = grid
  if (rest.length === 0 || first.some((cell) => isValue(cell) && !year.test(cell))) return false
  if (first.some((cell) => cell.length > mostCharacters.name)) return false
  const isYear = (cell: string) => year.test(cell)
  const hasValues = first.some((cell, place) => {
    const below = rest.map((row) => row[place] ?? '')
    return below.some(isValue) && !(isYear(cell) && below.every(isYear))
  })
  // Among words alone, a name that stands twice is no name.
  const differ = new Set(first).size === first.length
  return hasValues || (differ && !rest.some((row) => row.some((cell) => isValue(cell))))
}

function uniqueNames(
  written: readonly string[],
  width: number,
  numbered: (place: number) => string,
): string[] {
  const taken = new Set<string>()
  return Array.from({ length: width }, (_, place) => {
    const plain = (written[place] ?? '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, mostCharacters.name)
      .toWellFormed()
    const wanted = plain || numbered(place + 1)
    let name = wanted
    for (let copy = 2; taken.has(name); copy += 1) name = `${wanted} (${copy})`
    taken.add(name)
    return name
  })
}

function readColumn(
  name: string,
  cells: readonly (string | null)[],
): { column: Column; values: (string | null)[] } {
  const present = cells.filter((cell) => cell !== null)
  const least = Math.max(1, Math.ceil(present.length * leastShare))
  const read = (
    kind: ColumnKind,
    readCell: (cell: string) => string | undefined,
    more: Partial<Column> = {},
  ) => {
    const values = cells.map((cell) => (cell === null ? null : (readCell(cell) ?? null)))
    if (values.filter((value) => value !== null).length < least) return undefined
    const lost = present.filter((cell) => readCell(cell) === undefined)
    const unreadable = lost
      .slice(0, mostUnreadable)
      .map((cell) => cell.slice(0, mostCharacters.unreadable).toWellFormed())
    return { column: { name, kind, unreadable, ...more }, values }
  }
  const unit = present.map((cell) => measuredOf(cell)?.unit).find((each) => each !== undefined)
  const calendar = present.map((cell) => dayOf(cell)?.calendar).find((each) => each !== undefined)
  const ofUnit = (cell: string) =>
    decimalOf(cell) ?? (measuredOf(cell)?.unit === unit ? measuredOf(cell)?.number : undefined)
  return (
    (present.length > 0 &&
      (read('number', decimalOf) ??
        read('percent', percentOf) ??
        (calendar &&
          read('date', (cell) => (dayOf(cell)?.calendar === calendar ? dayOf(cell)?.day : undefined), {
            calendar,
          })) ??
        (unit && read('number', ofUnit, { unit })))) || {
      column: { name, kind: 'text' as const, unreadable: [] },
      values: [...cells],
    }
  )
}
