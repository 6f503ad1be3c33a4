/** Answers GET /v1/requests/export: the requests that match as a table. */
import { accountTimeZone } from '#platform/auth'
import { jalaliText, TimeZone } from '#platform/calendar'
import type { Language } from '#platform/errors'
import type { ContentAnswer, RequestContext } from '#platform/http'
import { millionthsText } from '#platform/ledger'
import { type SheetColumn, type SheetValue, sheetAnswer } from '#platform/sheets'
import type { RequestsApp } from './app.ts'
import { type Filter, readFilter } from './filter.ts'
import { findRequests } from './find.ts'
import { placeOf, shown } from './list.ts'
import { titles } from './phrases.ts'
import type { RequestRow, RequestsExportQuery } from './schema.ts'
import { segmentCache } from './search/cache.ts'
import type { Place, SearchReader } from './settlements.ts'
import { projectNames } from './store.ts'

type ExportContext = RequestContext<RequestsApp, unknown, RequestsExportQuery>

/** A row of the table, with the name of the project of its request. */
interface NamedRow extends RequestRow {
  project: string | null
}

interface RequestColumn extends SheetColumn {
  read(row: NamedRow): SheetValue
}

const rowsAtOnce = 1_000

export async function exportRequests(context: ExportContext): Promise<ContentAnswer> {
  const { app, caller, query } = context
  const filter = await readFilter(context)
  const language = query.language ?? caller.person?.locale ?? context.language
  const zone = new TimeZone(query.time_zone ?? (await accountTimeZone(app.db, caller.accountId)))
  const columns = columnsOf(language, zone)
  return sheetAnswer(app, {
    fileName: 'requests',
    format: query.format,
    accountId: caller.accountId,
    open: async (tx) => ({
      sheet: { name: titles.requests[language], language, columns },
      rows: cellsOf(app, { kysely: tx, cache: segmentCache(app.db) }, filter, columns),
    }),
  })
}

async function* cellsOf(
  app: RequestsApp,
  reader: SearchReader,
  filter: Filter,
  columns: readonly RequestColumn[],
): AsyncGenerator<SheetValue[], void, undefined> {
  for (let place: Place | undefined, isLast = false; !isLast; ) {
    const found = await findRequests(reader, filter, place, rowsAtOnce)
    const projects = await projectNames(app.db, filter.accountId, found)
    for (const row of await shown(app, filter.accountId, found))
      yield columns.map((column) => column.read({ ...row, project: projects.get(row.project_id) ?? null }))
    const last = found.at(-1)
    place = last && placeOf(last)
    isLast = found.length < rowsAtOnce
  }
}

/** Days of both calendars: that of the reader's language first. */
function columnsOf(language: Language, zone: TimeZone): RequestColumn[] {
  const column = (
    title: keyof typeof titles,
    kind: SheetColumn['kind'],
    read: RequestColumn['read'],
  ): RequestColumn => ({
    title: titles[title][language],
    kind,
    read,
  })
  const dayOf = (row: RequestRow): string => zone.dayOf(Date.parse(row.created_at))
  const began = column('began', 'moment', (row) => zone.momentOf(Date.parse(row.created_at)))
  const jalaliDay = column('jalaliDay', 'label', (row) => jalaliText(dayOf(row)))
  return [
    ...(language === 'fa' ? [jalaliDay, began] : [began, jalaliDay]),
    column('id', 'text', (row) => row.id),
    column('state', 'label', (row) => titles[row.state][language]),
    column('status', 'integer', (row) => row.status_code),
    column('endpoint', 'text', (row) => row.endpoint),
    column('model', 'text', (row) => row.model),
    column('credits', 'decimal', (row) => millionthsText(BigInt(row.microcredits))),
    column('input', 'integer', (row) => row.tokens?.input ?? null),
    column('cachedInput', 'integer', (row) => row.tokens?.cached_input ?? null),
    column('output', 'integer', (row) => row.tokens?.output ?? null),
    column('reasoning', 'integer', (row) => row.tokens?.reasoning ?? null),
    column('project', 'text', (row) => row.project),
    column('key', 'text', (row) => row.key_name),
    column('person', 'text', (row) => row.person?.name ?? null),
    column('customer', 'text', (row) => row.customer_id),
    column('reference', 'text', (row) => row.reference_id),
    column('idempotencyKey', 'text', (row) => row.idempotency_key || null),
  ]
}
