/** Combines the sources of a run into one table: those with the same column names are appended to each other. */
import type { RowSource, RowVisitor } from '../rows/source.ts'
import { foldKey } from '../values/fold.ts'
import { type ColumnSpec, decideColumn } from './decide.ts'
import { hasHeaderRow, uniqueNames } from './head.ts'
import type { Note } from './notes.ts'
import { ColumnSurvey, isBlank } from './survey.ts'
import { TotalsDetector } from './totals.ts'

const headRows = 200

export interface TableCandidate {
  source: RowSource
  /** The index of the source. */
  place: number
  hidden: boolean
  isNamed: boolean
  /** Cells of the first row, or names given by the format. */
  head: string[]
}

/** Reads the beginning of a source; undefined if it has no rows. */
export async function candidateOf(
  source: RowSource,
  place: number,
  hidden = false,
): Promise<TableCandidate | undefined> {
  const head: string[][] = []
  await source.rows((row) => {
    if (row.some((cell) => !isBlank(cell))) head.push(row)
    return head.length < headRows
  })
  if (head.length === 0) return undefined
  const known = source.names !== undefined
  const isNamed = known || hasHeaderRow(head)
  return { source, place, hidden, isNamed: isNamed, head: known ? source.names! : head[0]! }
}

/** Candidates whose columns are the same. */
export function groupByColumns(candidates: readonly TableCandidate[]): TableCandidate[][] {
  const groups = new Map<string, TableCandidate[]>()
  for (const each of candidates) {
    const key = each.isNamed
      ? `named ${JSON.stringify(each.head.map(foldKey))}`
      : `width ${each.head.length} of ${each.place}`
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()]
}

/** Everything that the second pass needs. Plain JSON. */
export interface TableSpec {
  columns: ColumnSpec[]
  /** Indexes of the sources, in order. */
  places: number[]
  isNamed: boolean
  head: string[]
  /** Row numbers of totals, which are left out. */
  left: number[]
  /** The number of rows of data. */
  rows: number
}

export interface TableSurvey {
  spec: TableSpec
  notes: Note[]
  bySource: { name: string; rows: number }[]
}

export interface NamingOptions {
  numbered: (place: number) => string
}

/** Reads all rows of sources with the same columns and decides what their columns are. */
export async function surveyTable(
  group: readonly TableCandidate[],
  { numbered }: NamingOptions,
): Promise<TableSurvey> {
  const { isNamed, head } = group[0]!
  const notes: Note[] = []
  const { names, renamed, nameless } = uniqueNames(isNamed ? head : [], head.length, numbered)
  const surveys = names.map(() => new ColumnSurvey())
  const totals = new TotalsDetector()
  const bySource: (TableSurvey['bySource'][number] & { from: number })[] = []
  const walked = await eachDataRow(group, isNamed, head, (row, ordinal, place) => {
    for (let column = 0; column < surveys.length; column += 1) surveys[column]!.add(row[column] ?? '')
    totals.addRow(row, ordinal, place)
    const sourceRows = bySource[place] ?? { name: group[place]!.source.name, rows: 0, from: ordinal }
    sourceRows.rows += 1
    bySource[place] = sourceRows
  })
  const isPersian = /[\u0600-\u06ff]/.test(names.join(' ')) || surveys.some(hasPersianExamples)
  const columns = names.map((name, place) => decideColumn(name, surveys[place]!, isPersian, notes))
  const left = columns.some(({ kind }) => kind === 'number') ? totals.totalRows() : []
  noteNaming({ columns, surveys, renamed, nameless, isNamed, heads: walked.heads }, notes)
  const places = group.map(({ place }) => place)
  const spec = { columns, places, isNamed, head, left, rows: walked.rows - left.length }
  const sources = bySource.filter(Boolean)
  for (const ordinal of left) sources.findLast(({ from }) => from <= ordinal)!.rows -= 1
  return { spec, notes, bySource: sources.map(({ name, rows }) => ({ name, rows })) }
}

const hasPersianExamples = ({ examples }: ColumnSurvey): boolean =>
  [...examples.word, ...examples.day].some((cell) => /[\u0600-\u06ff]/.test(cell))

interface NamingNotes {
  columns: readonly ColumnSpec[]
  surveys: readonly ColumnSurvey[]
  renamed: string[]
  nameless: string[]
  isNamed: boolean
  heads: number
}

function noteNaming(
  { columns, surveys, renamed, nameless, isNamed, heads }: NamingNotes,
  notes: Note[],
): void {
  const isEmpty = (place: number) => surveys[place]!.present + surveys[place]!.absent === 0
  const empty = columns.filter((_, place) => isEmpty(place)).map(({ name }) => name)
  const texts = columns
    .filter(({ kind }, place) => kind === 'text' && !isEmpty(place))
    .map(({ name }) => name)
  if (texts.length > 0) notes.push({ kind: 'texts', columns: texts })
  if (empty.length > 0) notes.push({ kind: 'empty', columns: empty })
  if (!isNamed) notes.push({ kind: 'headless' })
  if (renamed.length > 0) notes.push({ kind: 'renamed', columns: renamed })
  if (nameless.length > 0) notes.push({ kind: 'nameless', columns: nameless })
  if (heads > 0) notes.push({ kind: 'heads', count: heads })
}

type DataRowVisitor = (row: string[], ordinal: number, place: number) => unknown

/** Iterates over the data rows of all sources, numbered from 0: without empty rows and without the header, wherever it is repeated. */
export async function eachDataRow(
  group: readonly Pick<TableCandidate, 'source'>[],
  isNamed: boolean,
  head: readonly string[],
  visit: DataRowVisitor,
): Promise<{ rows: number; heads: number }> {
  let [rows, heads] = [0, 0]
  let isOver = false
  for (const [place, { source }] of group.entries()) {
    if (isOver) break
    let isFirst = source.names === undefined && isNamed
    const take: RowVisitor = (row) => {
      if (row.every(isBlank)) return undefined
      if (isFirst) {
        isFirst = false
        return undefined
      }
      if (isNamed && isHead(row, head)) {
        heads += 1
        return undefined
      }
      const continues = visit(row, rows, place)
      rows += 1
      isOver = continues === false
      return continues
    }
    await source.rows(take)
  }
  return { rows, heads }
}

const isHead = (row: readonly string[], head: readonly string[]): boolean =>
  row[0] === head[0] && row.length > 1 && row.every((cell, place) => cell === head[place])
