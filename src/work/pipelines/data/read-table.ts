/** Reads files and texts into one table and decides all its columns: the first step in the confined process. */

import { limits, loadTable, rowCountWithinLimits } from './columns/load.ts'
import type { Note } from './columns/notes.ts'
import type { TableStore } from './columns/store.ts'
import {
  candidateOf,
  groupByColumns,
  surveyTable,
  type TableCandidate,
  type TableSpec,
  type TableSurvey,
} from './columns/tables.ts'
import { type Profile, profileOf } from './figures.ts'
import { type Input, rowsOf, type SourceSpec, specsOf, type UnreadReason } from './rows/open.ts'
import type { RowSource } from './rows/source.ts'

/** A detected table without its rows, which are read again from the inputs when needed. Plain JSON. */
export interface FoundTable {
  spec: ReadSpec
  profile: Profile[]
  /** Rows that all figures are computed from, and the total number of rows. */
  rows: number
  of: number
  /** The first rows, cleaned. */
  sample: (string | null)[][]
  notes: Note[]
  /** Other tables, which are not analysed. */
  unused: { name: string; rows: number; hidden: boolean }[]
}

export interface ReadSpec {
  sources: SourceSpec[]
  table: TableSpec
  /** Rows that are read. */
  rows: number
}

export interface ReadAnswer {
  found: FoundTable | null
  unread: { name: string; why: UnreadReason }[]
}

export interface ReadOptions {
  inputs: Input[]
  columnWord: string
  /** The most rows that are read; tests set a lower limit. */
  maxRows?: number
}

export async function readTables({
  inputs,
  columnWord,
  maxRows = limits.rows,
}: ReadOptions): Promise<ReadAnswer> {
  const sources: SourceSpec[] = []
  const unread: ReadAnswer['unread'] = []
  for (const [place, input] of inputs.entries()) {
    const found = await specsOf(input, place)
    if (typeof found === 'string') unread.push({ name: input.name, why: found })
    else sources.push(...found)
  }
  const candidates: TableCandidate[] = []
  for (const [place, spec] of sources.entries()) {
    const hidden = spec.kind === 'xlsx' && spec.hidden
    const candidate = await candidateOf(await rowsOf(inputs[spec.input]!, spec), place, hidden)
    if (candidate) candidates.push(candidate)
  }
  const surveyed: { group: TableCandidate[]; own: TableSurvey }[] = []
  const numbered = { numbered: (place: number) => `${columnWord} ${place}` }
  for (const group of groupByColumns(candidates)) {
    const own = await surveyTable(group, numbered)
    if (own.spec.rows > 0) surveyed.push({ group, own })
  }
  const [best, ...others] = surveyed.toSorted((a, b) => weightOf(b) - weightOf(a))
  if (!best) return { found: null, unread }
  const unused = others.flatMap(({ group, own }) =>
    own.bySource.map(({ name, rows }) => ({ name, rows, hidden: group.every(({ hidden }) => hidden) })),
  )
  return { found: await readGroup(best.group, best.own, { sources, unused, maxRows }), unread }
}

/** The analysed table is the one with the most cells; one that its author has hidden only if there is no other. */
const weightOf = ({ group, own }: { group: TableCandidate[]; own: TableSurvey }): number =>
  own.spec.rows * own.spec.columns.length * (group.every(({ hidden }) => hidden) ? 1e-9 : 1)

interface GroupOptions {
  sources: SourceSpec[]
  unused: FoundTable['unused']
  maxRows: number
}

async function readGroup(
  group: readonly TableCandidate[],
  { spec, notes, bySource }: TableSurvey,
  { sources, unused, maxRows }: GroupOptions,
): Promise<FoundTable> {
  const rows = rowCountWithinLimits(spec, maxRows)
  const loaded = await loadTable(group, spec, maxRows)
  const own = group.map(({ place }) => sources[place]!)
  return {
    spec: { sources: own, table: spec, rows },
    profile: profileOf(loaded.store),
    rows: loaded.store.rows,
    of: spec.rows + group.reduce((sum, { source }) => sum + (source.faults.beyond?.rows ?? 0), 0),
    sample: loaded.sample,
    notes: [
      ...(bySource.length > 1 ? [{ kind: 'used' as const, sources: bySource }] : []),
      ...(unused.length > 0 ? [{ kind: 'unused' as const, sources: unused }] : []),
      ...sheetNotes(sources),
      ...sourceNotes(
        own,
        group.map(({ source }) => source),
      ),
      ...notes,
      ...loaded.notes,
    ],
    unused,
  }
}

function sourceNotes(specs: readonly SourceSpec[], sources: readonly RowSource[]): Note[] {
  const notes: Note[] = []
  const sum = (of: (spec: SourceSpec, source: RowSource) => number) =>
    specs.reduce((total, spec, place) => total + of(spec, sources[place]!), 0)
  const encodings = new Set(sources.map(({ faults }) => faults.encoding ?? 'utf-8'))
  for (const encoding of encodings) if (encoding !== 'utf-8') notes.push({ kind: 'encoding', encoding })
  const broken = sum((_, { faults }) => faults.broken)
  if (broken > 0) notes.push({ kind: 'broken', count: broken })
  const before = sum((spec) => ('before' in spec ? spec.before : 0))
  if (before > 0) notes.push({ kind: 'before', count: before })
  const skipped = sum((_, { faults }) => faults.skipped.count)
  const examples = sources.flatMap(({ faults }) => faults.skipped.examples).slice(0, 3)
  if (skipped > 0) notes.push({ kind: 'skipped', count: skipped, examples })
  const unparsed = sum((_, { faults }) => faults.unparsed.count)
  const begins = sources.flatMap(({ faults }) => faults.unparsed.examples).slice(0, 3)
  if (unparsed > 0) notes.push({ kind: 'unparsed', count: unparsed, examples: begins })
  const merged = sum((_, { faults }) => faults.merged)
  if (merged > 0) notes.push({ kind: 'merged-cells', count: merged })
  const uncalculated = sum((spec) => (spec.kind === 'xlsx' ? spec.uncalculated : 0))
  if (uncalculated > 0) notes.push({ kind: 'uncalculated', count: uncalculated })
  const durations = sum((spec) => (spec.kind === 'xlsx' ? spec.durations : 0))
  if (durations > 0) notes.push({ kind: 'durations', count: durations })
  const columns = specs.map((spec, place) => columnsOf(spec, sources[place]!))
  const [read, of] = [maxOf(columns.map((own) => own.read)), maxOf(columns.map((own) => own.of))]
  if (of > read) notes.push({ kind: 'columns-cut', read, of })
  for (const { faults } of sources) if (faults.cut) notes.push({ kind: 'text-cut', ...faults.cut })
  return notes
}

const maxOf = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0)

/** The columns that are read, and their total number. */
function columnsOf(spec: SourceSpec, { faults }: RowSource): { read: number; of: number } {
  if (spec.kind === 'json') return { read: spec.names.length, of: spec.names.length + spec.unread }
  if (spec.kind === 'xlsx') return { read: spec.width, of: spec.width + spec.unread }
  const { read, columns } = faults.beyond ?? { read: 0, columns: 0 }
  return { read, of: read + columns }
}

/** Sheets of all workbooks that were not searched for tables. */
function sheetNotes(sources: readonly SourceSpec[]): Note[] {
  const unread = new Map<number, number>()
  for (const spec of sources) if (spec.kind === 'xlsx') unread.set(spec.input, spec.unreadSheets)
  const count = [...unread.values()].reduce((sum, own) => sum + own, 0)
  return count > 0 ? [{ kind: 'sheets-cut', count }] : []
}

/** Opens the sources of a table that was read before. */
export const sourcesOf = (
  inputs: readonly Input[],
  { sources }: ReadSpec,
): Promise<{ source: RowSource }[]> =>
  Promise.all(sources.map(async (spec) => ({ source: await rowsOf(inputs[spec.input]!, spec) })))

/** Loads the columns of a table that was read before. */
export async function storeOf(inputs: readonly Input[], spec: ReadSpec): Promise<TableStore> {
  return (await loadTable(await sourcesOf(inputs, spec), spec.table, spec.rows)).store
}
