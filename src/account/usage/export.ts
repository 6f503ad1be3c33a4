/** Answers GET /v1/account/usage/export: every row of the same report as a table. */
import { jalaliText } from '#platform/calendar'
import type { Language } from '#platform/errors'
import type { ContentAnswer } from '#platform/http'
import { millionthsText } from '#platform/ledger'
import { type Sheet, type SheetColumn, type SheetValue, sheetAnswer } from '#platform/sheets'
import type { UsageContext } from './app.ts'
import { titles, unitTitles } from './phrases.ts'
import { type Dimension, groupsOf, rangeOf, type UsageRange } from './range.ts'
import { filterOf, type ShownRow, shownRows } from './read.ts'
import type { UsageExportQuery } from './schema.ts'
import { allUsageOf, type GroupRow, projectNames } from './store.ts'

/** A column of the table with its value in each row. */
interface UsageColumn extends SheetColumn {
  read(row: ShownRow): SheetValue
}

export async function exportUsage(context: UsageContext<UsageExportQuery>): Promise<ContentAnswer> {
  const { app, caller, query } = context
  const by = groupsOf(query.group_by)
  const range = await rangeOf(app, caller, query)
  const filter = await filterOf(app, caller, query)
  const language = query.language ?? caller.person?.locale ?? context.language
  return sheetAnswer(app, {
    fileName: `usage-${range.from}-${range.to}`,
    format: query.format,
    accountId: caller.accountId,
    async open(tx) {
      const { totals, batches } = await allUsageOf(tx, { range, filter, by }, query.order ?? 'time')
      const projects = by.includes('project') ? await projectNames(app.db, caller.accountId) : new Map()
      const units = Object.keys(totals.quantities ?? {}).sort()
      const columns = [
        ...periodColumns(range, language),
        ...by.flatMap((name) => groupColumns(name, language, projects)).filter(isFirstOf),
        ...sumColumns(units, language),
      ]
      const sheet: Sheet = { name: titles.usage[language], language, columns }
      const shown = (rows: readonly GroupRow[]) => shownRows(app, caller.accountId, { range, by, rows })
      return { sheet, rows: cellsOf(columns, batches, shown) }
    },
  })
}

/** A key has the columns of its person, too, which are there once. */
const isFirstOf = (column: UsageColumn, at: number, all: readonly UsageColumn[]): boolean =>
  all.findIndex(({ title }) => title === column.title) === at

async function* cellsOf(
  columns: readonly UsageColumn[],
  batches: AsyncIterable<GroupRow[]>,
  shown: (rows: readonly GroupRow[]) => Promise<ShownRow[]>,
): AsyncGenerator<SheetValue[], void, undefined> {
  for await (const rows of batches)
    for (const row of await shown(rows)) yield columns.map((column) => column.read(row))
}

const columnsIn =
  (language: Language) =>
  (title: keyof typeof titles, kind: SheetColumn['kind'], read: UsageColumn['read']): UsageColumn => ({
    title: titles[title][language],
    kind,
    read,
  })

/** Days of both calendars: that of the reader's language first. */
function periodColumns({ interval }: UsageRange, language: Language): UsageColumn[] {
  const column = columnsIn(language)
  const isDay = interval === 'day'
  const iso = [
    column(isDay ? 'day' : 'from', 'day', (row) => row.from),
    ...(isDay ? [] : [column('to', 'day', (row) => row.to)]),
  ]
  const jalali = [
    column(isDay ? 'jalaliDay' : 'jalaliFrom', 'label', (row) => jalaliText(row.from)),
    ...(isDay ? [] : [column('jalaliTo', 'label', (row) => jalaliText(row.to))]),
  ]
  return language === 'fa' ? [...jalali, ...iso] : [...iso, ...jalali]
}

function groupColumns(
  name: Dimension,
  language: Language,
  projects: ReadonlyMap<string, string>,
): UsageColumn[] {
  const column = columnsIn(language)
  const person = [
    column('person', 'text', (row) => row.person?.name ?? null),
    column('personId', 'text', (row) => row.person?.id ?? null),
  ]
  switch (name) {
    case 'project':
      return [
        column('project', 'text', (row) => projects.get(row.project_id!) ?? null),
        column('projectId', 'text', (row) => row.project_id!),
      ]
    case 'key':
      return [
        column('key', 'text', (row) => row.key_name ?? null),
        column('keyId', 'text', (row) => row.key_id!),
        ...person,
      ]
    case 'person':
      return person
    case 'model':
      return [column('model', 'text', (row) => row.model ?? null)]
    case 'endpoint':
      return [column('endpoint', 'text', (row) => row.endpoint!)]
    case 'customer':
      return [column('customer', 'text', (row) => row.customer_id ?? null)]
  }
}

function sumColumns(units: readonly string[], language: Language): UsageColumn[] {
  const column = columnsIn(language)
  return [
    column('requests', 'integer', (row) => row.requests),
    column('failures', 'integer', (row) => row.failures),
    column('credits', 'decimal', (row) => millionthsText(BigInt(row.microcredits))),
    column('input', 'integer', (row) => row.tokens.input),
    column('cachedInput', 'integer', (row) => row.tokens.cached_input),
    column('output', 'integer', (row) => row.tokens.output),
    column('reasoning', 'integer', (row) => row.tokens.reasoning),
    ...units.map(
      (unit): UsageColumn => ({
        title: unitTitles[unit]?.[language] ?? unit,
        kind: 'decimal',
        read: (row) => row.quantities?.[unit] ?? null,
      }),
    ),
  ]
}
