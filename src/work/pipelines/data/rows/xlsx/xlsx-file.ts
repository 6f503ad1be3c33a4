/** Sheets of a workbook as tables. */
import { maxColumns, noFaults, type Row, type RowSource, type RowVisitor } from '../source.ts'
import { type Book, openBook } from './book.ts'
import { readSheet } from './sheet.ts'

export interface SheetSpec {
  kind: 'xlsx'
  sheet: string
  hidden: boolean
  /** Zero-based row and column at which the table begins. */
  top: number
  left: number
  width: number
  /** The number of columns beyond the limit. */
  unread: number
  /** Non-empty rows above the table. */
  before: number
  /** Sheets of its workbook beyond the limit. */
  unreadSheets: number
  rows: number
  /** Merged cells over several rows: column, first and last row. */
  merges: [number, number, number][]
  uncalculated: number
  /** The number of cells with durations. */
  durations: number
}

const maxMerges = 50_000
const sampleRows = 200

/** Describes every non-empty sheet, reading each once. Undefined for a file that is not a workbook. */
export async function xlsxSpecs(path: string): Promise<SheetSpec[] | undefined> {
  const book = await openBook(path)
  if (!book) return undefined
  const specs: SheetSpec[] = []
  for (const { name, entry, hidden } of book.sheets) {
    const spec: SheetSpec = {
      kind: 'xlsx',
      sheet: name,
      hidden,
      top: 0,
      left: 0,
      width: 0,
      unread: 0,
      before: 0,
      unreadSheets: book.unreadSheets,
      rows: 0,
      merges: [],
      uncalculated: 0,
      durations: 0,
    }
    const seen = { left: Number.MAX_SAFE_INTEGER, right: -1, sample: [] as { row: number; filled: number }[] }
    await readSheet(book, entry, {
      row(row, cells) {
        if (cells.size === 0) return
        spec.rows += 1
        for (const column of cells.keys()) {
          if (column < seen.left) seen.left = column
          if (column > seen.right) seen.right = column
        }
        if (seen.sample.length < sampleRows) seen.sample.push({ row, filled: cells.size })
      },
      merged({ from, to }) {
        if (to[0] > from[0] && spec.merges.length < maxMerges) spec.merges.push([from[1], from[0], to[0]])
      },
      uncalculated() {
        spec.uncalculated += 1
      },
      duration() {
        spec.durations += 1
      },
    })
    if (seen.right < 0) continue
    const widest = Math.max(...seen.sample.map(({ filled }) => filled))
    // Titles and remarks above a table have fewer cells than the table.
    const first = seen.sample.findIndex(({ filled }) => filled * 2 > widest)
    spec.top = seen.sample[first]!.row
    spec.before = first
    spec.rows -= first
    spec.left = seen.left
    const width = seen.right - seen.left + 1
    spec.width = Math.min(maxColumns, width)
    spec.unread = width - spec.width
    specs.push(spec)
  }
  return specs
}

export function xlsxRows(path: string, spec: SheetSpec, name: string): RowSource {
  const faults = { ...noFaults(), merged: spec.merges.filter(([, from]) => from > spec.top).length }
  return {
    name,
    faults,
    async rows(visit: RowVisitor) {
      const book = await openBook(path)
      const entry = book?.sheets.find((sheet) => sheet.name === spec.sheet)?.entry
      if (!book || !entry) return
      await readWithMerges(book, entry, spec, visit)
    },
  }
}

async function readWithMerges(
  book: Book,
  entry: Book['sheets'][number]['entry'],
  spec: SheetSpec,
  visit: RowVisitor,
) {
  const { top, left, width } = spec
  const open = new Map<number, { until: number; value: string }>()
  const starts = new Map<number, [number, number][]>()
  for (const [column, from, until] of spec.merges) {
    const known = starts.get(from)
    if (known) known.push([column, until])
    else starts.set(from, [[column, until]])
  }
  await readSheet(book, entry, {
    row(row, cells) {
      if (row < top || cells.size === 0) return undefined
      for (const [column, { until, value }] of open) {
        if (row > until) open.delete(column)
        else if (!cells.has(column)) cells.set(column, value)
      }
      for (const [column, until] of starts.get(row) ?? []) {
        const value = cells.get(column)
        // In merged cells only words are repeated: a number that spans several rows counts once.
        if (row > top && value !== undefined && !/^[-\d]/.test(value)) open.set(column, { until, value })
      }
      const found: Row = Array.from({ length: width }, (_, place) => cells.get(left + place) ?? '')
      return visit(found)
    },
  })
}
