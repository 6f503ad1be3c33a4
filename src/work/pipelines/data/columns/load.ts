/** Reads the rows of a table into its columns. */
import { ExactSum, scaledInteger } from '../values/exact.ts'
import { numeralOf, numeralToDecimal } from '../values/numerals.ts'
import { HashSet } from './hash-set.ts'
import type { Note } from './notes.ts'
import { missingValue, NumberColumn, type StoredColumn, type TableStore, TextColumn } from './store.ts'
import { eachDataRow, type TableCandidate, type TableSpec } from './tables.ts'
import { totalLabel } from './totals.ts'

/** Limits of one table: rows, and bytes of their values. */
export const limits = { rows: 2_000_000, bytes: 640 * 1024 * 1024 }
const maxMerged = 12
const sampleRows = 200
const maxSampled = 200

export interface LoadedTable {
  store: TableStore
  notes: Note[]
  /** The first rows, cleaned. */
  sample: (string | null)[][]
}

/** The number of rows that are within the limits. */
export function rowCountWithinLimits(
  { columns, rows }: Pick<TableSpec, 'columns' | 'rows'>,
  maxRows: number,
): number {
  const bytes = columns.reduce((sum, { kind }) => sum + (kind === 'text' ? 4 : 8), 0)
  return Math.min(rows, maxRows, Math.floor(limits.bytes / Math.max(1, bytes)))
}

export async function loadTable(
  group: readonly Pick<TableCandidate, 'source'>[],
  spec: TableSpec,
  maxRows = limits.rows,
): Promise<LoadedTable> {
  const rows = rowCountWithinLimits(spec, maxRows)
  const columns = spec.columns.map(
    (column): StoredColumn =>
      column.kind === 'text' ? new TextColumn(column, rows) : new NumberColumn(column, rows),
  )
  const totals = new TotalsCheck(spec)
  const seen = new HashSet(limits.rows)
  let [at, repeated] = [0, 0]
  await eachRow(
    group,
    spec,
    (row) => {
      if (at === rows) return false
      for (const [place, column] of columns.entries()) column.set(at, row[place] ?? '')
      if (!seen.add(row.join('\u001f'))) repeated += 1
      totals.add(columns, at)
      at += 1
      return undefined
    },
    (row) => totals.compare(row),
  )
  const notes: Note[] = totals.notes()
  for (const column of columns) noteColumn(column, notes)
  if (repeated > 0) notes.push({ kind: 'repeated', count: repeated })
  const sample = Array.from({ length: Math.min(at, sampleRows) }, (_, row) =>
    columns.map((column) => sampled(column, row)),
  )
  return { store: { rows: at, columns }, notes, sample }
}

const sampled = (column: StoredColumn, row: number): string | null =>
  column.textAt(row)?.slice(0, maxSampled).toWellFormed() ?? null

type RowHandler = (row: string[]) => unknown

/** Iterates over the rows of data, without the excluded ones, which are passed to `onExcludedRow`. */
export async function eachRow(
  group: readonly Pick<TableCandidate, 'source'>[],
  { isNamed, head, left }: TableSpec,
  onRow: RowHandler,
  onExcludedRow: RowHandler = () => {},
): Promise<void> {
  let next = 0
  await eachDataRow(group, isNamed, head, (row, ordinal) => {
    if (left[next] !== ordinal) return onRow(row)
    next += 1
    return onExcludedRow(row)
  })
}

function noteColumn(column: StoredColumn, notes: Note[]): void {
  const { name } = column.spec
  if (column instanceof TextColumn) {
    const merged: Note[] = []
    column.finish(merged)
    const size = (note: Note) =>
      note.kind === 'merged' ? note.spellings.reduce((sum, { count }) => sum + count, 0) : 0
    const sorted = merged.toSorted((a, b) => size(b) - size(a))
    notes.push(...sorted.slice(0, maxMerged))
    if (sorted.length > maxMerged)
      notes.push({ kind: 'merged-more', column: name, count: sorted.length - maxMerged })
    if (!column.isCounted) notes.push({ kind: 'distinct-floor', column: name, least: column.distinct })
    return
  }
  const { lost, changed, spec } = column
  if (lost.count > 0)
    notes.push({ kind: 'unreadable', column: name, count: lost.count, examples: lost.examples })
  if (changed.unit > 0) {
    const to = spec.unit ?? ''
    const from = to === 'ریال' ? 'تومان' : 'ریال'
    notes.push({ kind: 'other-unit', column: name, count: changed.unit, from, to })
  }
  if (changed.calendar > 0)
    notes.push({ kind: 'other-calendar', column: name, count: changed.calendar, calendar: spec.calendar! })
  if (changed.rounded > 0)
    notes.push({ kind: 'rounded', column: name, count: changed.rounded, digits: spec.scale ?? 0 })
}

/** Compares the value of a total row with the sum of the rows before it. */
class TotalsCheck {
  readonly #spec: TableSpec
  readonly #sums = new Map<number, { all: ExactSum; part: ExactSum }>()
  readonly #labels = new Set<string>()
  #agree: 'yes' | 'no' | 'unknown' = 'unknown'

  constructor(spec: TableSpec) {
    this.#spec = spec
    for (const [place, { kind }] of spec.columns.entries())
      if (kind === 'number' && spec.left.length > 0)
        this.#sums.set(place, { all: new ExactSum(), part: new ExactSum() })
  }

  add(columns: readonly StoredColumn[], row: number): void {
    for (const [place, { all, part }] of this.#sums) {
      const value = (columns[place] as NumberColumn).values[row]!
      if (value === missingValue) continue
      all.add(value)
      part.add(value)
    }
  }

  compare(row: readonly string[]): void {
    const label = totalLabel(row)
    if (label) this.#labels.add(label.label)
    for (const [place, sums] of this.#sums) {
      const { scale = 0, decimal = '.' } = this.#spec.columns[place]!
      const numeral = numeralOf(row[place] ?? '')
      const plain = numeral && numeralToDecimal(numeral, decimal)
      if (plain === undefined) continue
      const stated = scaledInteger(plain, scale)
      const fits = stated === sums.all.value || stated === sums.part.value
      this.#agree = fits && this.#agree !== 'no' ? 'yes' : 'no'
      sums.part = new ExactSum()
    }
  }

  notes(): Note[] {
    const { length } = this.#spec.left
    if (length === 0) return []
    return [{ kind: 'totals', count: length, labels: [...this.#labels].slice(0, 3), agree: this.#agree }]
  }
}
