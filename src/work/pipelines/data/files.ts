import type {
  Alignment,
  Cell,
  DocumentBlock,
  Language,
  Sheet,
  TextDocument,
  Value,
  Workbook,
} from '#work/documents'
import { headingOf, paragraphOf, parsePart } from '../blocks.ts'
import type { Gap } from '../budgeted-steps.ts'
import { gapBlocks, noticeBlocks } from '../notices.ts'
import { persianText } from '../persian.ts'
import { sandboxPhrases } from '../phrases.ts'
import type { Task } from '../pipelines.ts'
import { cleaningBlocks, cleaningLines } from './cleaning/blocks.ts'
import { cleaningHeading } from './cleaning/phrases.ts'
import type { FoundTable } from './compute.ts'
import { isNumeric } from './figures.ts'
import { boundPhrases, overviewText, summaryPhrases } from './phrases.ts'
import { countsOnly, type ViewAnswer } from './views.ts'
import { writeDecimal, writeMeasured } from './write-number.ts'

/** The first rows as a sheet: numbers are numbers, percentages fractions of one, Jalali days and moments text that sorts correctly. */
export function dataSheet({ spec, sample }: FoundTable, name: string): Sheet {
  const { columns } = spec.table
  const kinds = columns.map(({ kind, calendar, timed }) => {
    if (kind === 'date') return calendar === 'gregorian' && !timed ? 'date' : 'text'
    return kind === 'time' ? 'text' : kind
  })
  return {
    name,
    columns: columns.map(({ name: title, unit }, place) => ({
      title: unit ? `${title} (${unit})` : title,
      kind: kinds[place]!,
    })),
    rows: sample.map((row) => row.map((cell, place) => cellValueOf(cell, kinds[place]!))),
  }
}

function cellValueOf(cell: string | null | undefined, kind: string): Value {
  if (cell === null || cell === undefined) return null
  if (kind === 'number') return Number(cell)
  // Rounding gives the exact decimal fraction: 0.7 / 100 would be 0.006999999999999999.
  return kind === 'percent' ? Number((Number(cell) / 100).toPrecision(15)) : cell
}

/** The sheet as it is displayed: Jalali dates in Persian digits, which sort correctly as text. */
const displaySheet = (sheet: Sheet, { spec }: FoundTable, language: Language): Sheet => ({
  ...sheet,
  rows: sheet.rows.map((row) =>
    row.map((value, place) =>
      spec.table.columns[place]!.calendar === 'jalali' && typeof value === 'string'
        ? inLanguage(value, language)
        : value,
    ),
  ),
})

export function workbookOf(
  task: Task,
  title: string,
  found: FoundTable,
  answers: readonly ViewAnswer[],
): Workbook {
  const { language, isSandbox, startedMs } = task
  const words = summaryPhrases[language]
  const mark: Sheet[] = isSandbox
    ? [
        {
          name: sandboxPhrases.mark[language],
          columns: [{ title: sandboxPhrases.mark[language], kind: 'text' }],
          rows: [[sandboxPhrases.notice[language]]],
        },
      ]
    : []
  const tables = answers
    .filter(({ view }) => view.chart !== 'scatter')
    .map((answer) => answerSheet(answer, found, language))
  return {
    title,
    dateMs: startedMs,
    language,
    sheets: [
      displaySheet(dataSheet(found, words.data), found, language),
      columnsSheet(found, language),
      cleaningSheet(found, language),
      ...tables,
      ...mark,
    ],
  }
}

function columnsSheet({ profile }: FoundTable, language: Language): Sheet {
  const words = summaryPhrases[language]
  const { sum, mean, median, min, max } = words.measures
  const number = (text: string | undefined): Value => (text === undefined ? null : Number(text))
  return {
    name: words.columns,
    columns: [
      { title: words.column, kind: 'text' },
      { title: words.type, kind: 'text' },
      ...[words.count, words.missing, words.distinct, sum, mean, median].map((title) => ({
        title,
        kind: 'number' as const,
      })),
      { title: min, kind: 'number' },
      { title: max, kind: 'number' },
      { title: words.deviation, kind: 'number' },
    ],
    rows: profile.map((column) => [
      column.name,
      words.kinds[column.kind],
      column.count,
      column.missing,
      column.distinct,
      ...[column.sum, column.mean, column.median].map(number),
      ...[column.min, column.max].map((end) => (isNumeric(column.kind) ? number(end) : (end ?? null))),
      number(column.deviation),
    ]),
  }
}

/** The cleaning notes, as in the summary, and the total number of rows if the sheet does not hold all of them. */
function cleaningSheet({ notes, rows, of }: FoundTable, language: Language): Sheet {
  const heading = cleaningHeading[language]
  const bound = rows < of ? [inLanguage(boundPhrases.rows(rows, of)[language], language)] : []
  const lines = [...bound, ...cleaningLines(notes, language)]
  return {
    name: heading,
    columns: [{ title: heading, kind: 'text' }],
    rows: lines.map((line) => [line]),
  }
}

function answerSheet({ view, rows, total }: ViewAnswer, { spec }: FoundTable, language: Language): Sheet {
  const words = summaryPhrases[language]
  const { columns } = spec.table
  const column = view.column === undefined ? undefined : columns[view.column]!
  const kind = column?.kind === 'percent' && !countsOnly(view) ? 'percent' : 'number'
  const value = words.measures[view.measure] + (column ? ` (${column.name})` : '')
  return {
    name: view.title,
    columns: [
      { title: columns[view.by]!.name, kind: 'text' },
      { title: value, kind },
      { title: words.rows, kind: 'number' },
    ],
    rows: [
      ...rows.map(({ key, value: own, count }): Value[] => [
        inLanguage(key, language),
        cellValueOf(own, kind),
        count,
      ]),
      [words.total, cellValueOf(total, kind), rows.reduce((sum, { count }) => sum + count, 0)],
    ],
  }
}

export interface SummaryOptions {
  task: Task
  title: string
  found: FoundTable
  answers: readonly ViewAnswer[]
  /** Paths of drawn charts, by the place of their answers. */
  drawn: ReadonlyMap<number, string>
  prose: { text: string; dropped: number }
  gaps: readonly Gap[]
}

export function summaryOf({ task, title, found, answers, drawn, prose, gaps }: SummaryOptions): TextDocument {
  const { language, isSandbox, startedMs } = task
  const words = summaryPhrases[language]
  const { profile, rows, of } = found
  const { columns } = found.spec.table
  const count = (number: number) => writeDecimal(String(number), language)
  const missing = profile.reduce((sum, column) => sum + column.missing, 0)
  const findings = prose.text
    ? parsePart({ id: 'findings', title: words.findings, markdown: prose.text, language }).blocks
    : []
  const details = answers.flatMap((answer, place) => [
    headingOf(2, answer.view.title),
    ...(drawn.has(place)
      ? [{ type: 'image' as const, path: drawn.get(place)!, alt: answer.view.title }]
      : []),
    ...(answer.points ? [] : [answerTable(answer, found, language)]),
    ...boundBlocks(answer, language),
  ])
  return {
    title,
    ...(isSandbox && { subtitle: sandboxPhrases.mark[language] }),
    dateMs: startedMs,
    language,
    blocks: [
      ...noticeBlocks(task),
      headingOf(1, words.overview),
      paragraphOf(
        overviewText(
          rows < of ? boundPhrases.rows(rows, of)[language] : count(rows),
          count(columns.length),
          count(missing),
          language,
        ),
      ),
      columnsTable(found, language),
      ...findings,
      ...(details.length > 0 ? [headingOf(1, words.details), ...details] : []),
      ...cleaningBlocks(found.notes, prose.dropped, language),
      ...gapBlocks(gaps, language),
    ],
  }
}

/** Notes what a table or a chart leaves out. */
function boundBlocks({ rows, points, pairs = 0 }: ViewAnswer, language: Language): DocumentBlock[] {
  if (points)
    return points.length < pairs ? [paragraphOf(boundPhrases.points(points.length, pairs)[language])] : []
  return rows.length > maxShown ? [paragraphOf(boundPhrases.groups(maxShown, rows.length)[language])] : []
}

const cell = (text: string): Cell => [{ type: 'text', text }]
const inLanguage = (text: string, language: Language) => (language === 'fa' ? persianText(text) : text)

function columnsTable({ profile }: FoundTable, language: Language): DocumentBlock {
  const words = summaryPhrases[language]
  const { sum, mean, min, max } = words.measures
  const number = (text: string | undefined, column: (typeof profile)[number]) =>
    text === undefined
      ? ''
      : isNumeric(column.kind)
        ? writeMeasured(text, column, language)
        : inLanguage(text, language)
  return {
    type: 'table',
    header: [words.column, words.type, words.count, words.missing, sum, mean, min, max].map(cell),
    align: ['start', 'start', ...Array<Alignment>(6).fill('end')],
    rows: profile.map((column) =>
      [
        column.name,
        words.kinds[column.kind],
        writeDecimal(String(column.count), language),
        writeDecimal(String(column.missing), language),
        column.kind === 'percent' ? '' : number(column.sum, column),
        number(column.mean, column),
        number(column.min, column),
        number(column.max, column),
      ].map(cell),
    ),
  }
}

/** Maximum rows of one answer in the document; all of them are in the workbook. */
const maxShown = 40

function answerTable(
  { view, rows: all, total }: ViewAnswer,
  { spec }: FoundTable,
  language: Language,
): DocumentBlock {
  const words = summaryPhrases[language]
  const { columns } = spec.table
  const column = view.column === undefined ? { kind: 'number', name: '' } : columns[view.column]!
  const shown = countsOnly(view) ? { kind: 'number' } : column
  const rows = all.slice(-maxShown)
  const value = (text: string | null) => (text === null ? '' : writeMeasured(text, shown, language))
  const line = (key: string, own: string | null) => [cell(inLanguage(key, language)), cell(value(own))]
  return {
    type: 'table',
    header: [
      cell(columns[view.by]!.name),
      cell(
        [words.measures[view.measure], column.name].filter(Boolean).join(language === 'fa' ? ' ' : ' of '),
      ),
    ],
    align: ['start', 'end'],
    rows: [
      ...rows.map((row) => line(row.key, row.value)),
      [[{ type: 'text', text: words.total, bold: true }], cell(value(total))],
    ],
  }
}
