/** GET and HEAD of `/rest/v1/<table>`. */
import {
  embedPathKey,
  type ReadPlan,
  readPlan,
  refuse,
  type TableFilter,
  type TablesQuery,
  tablesLimits,
} from '#cloud/tables'
import type { AppReply } from '../area.ts'
import { refusals } from '../rest/refusals.ts'
import { requireSingle } from './check.ts'
import { tablesRefusals } from './refusals.ts'
import { appliedLine, pageStatus, rowsReply, span } from './reply.ts'
import type { TableRequest } from './request.ts'
import { requireTable } from './require-table.ts'

/** Throws RestRefused, StatementFailed. */
export async function read(request: TableRequest): Promise<AppReply> {
  const { call, preferences, shape } = request
  const query = withRange(request.query, call.headers['range'])
  const options = {
    maxRows: tablesLimits.pageRows,
    maxBytes: tablesLimits.answerBytes,
    count: preferences.count,
    withoutNulls: shape.withoutNulls,
    isCsv: shape.kind === 'table',
  }
  let plan: ReadPlan | undefined
  const answers = await request.run(
    (catalogue) => {
      const table = requireTable(catalogue, request)
      plan = readPlan(catalogue, table, query, options)
      return plan.statements
    },
    { isReadOnly: true },
  )
  const { body, rows, total, names } = plan!.answer(answers)
  requireSingle(request, rows)
  if (body === undefined) return refuse(tablesRefusals.answerTooLarge(tablesLimits.answerBytes))
  const offset = query.filters.get(top)?.offset ?? 0
  const reply = {
    status: pageStatus({ offset, rows, total }),
    headers: [
      ['content-range', `${span(offset, rows)}/${total ?? '*'}`],
      ...appliedLine(preferences),
    ] as const,
  }
  return rowsReply(reply, shape, { body, names })
}

const top = embedPathKey([])
const maxOffset = 2_000_000_000

/** Applies `Range: 0-9` within what `offset` and `limit` leave. Ranges of bytes are ignored. */
function withRange(query: TablesQuery, range: string | undefined): TablesQuery {
  const [, first, last] = /^(\d{1,10})-(\d{1,10})?$/.exec(range?.trim() ?? '') ?? []
  if (first === undefined) return query
  const from = Math.min(Number(first), maxOffset)
  if (last !== undefined && Number(last) < from) refuse(refusals.rangeBackwards)
  const given: TableFilter = query.filters.get(top) ?? { where: [], order: [], offset: 0 }
  const maxRows = last === undefined ? undefined : Number(last) - from + 1
  const narrowing = {
    ...given,
    offset: Math.min(given.offset + from, maxOffset),
    limit: maxRows === undefined ? given.limit : Math.min(maxRows, given.limit ?? maxRows),
  }
  return { ...query, filters: new Map([...query.filters, [top, narrowing]]) }
}
