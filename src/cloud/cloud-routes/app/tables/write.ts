/** POST, PUT, PATCH and DELETE of `/rest/v1/<table>`. */
import {
  type Catalogue,
  type DatabaseTable,
  deletePlan,
  embedPathKey,
  insertPlan,
  putPlan,
  type ResponseSettings,
  readInserted,
  readResponseSettings,
  refuse,
  responseSettingsStatement,
  tablesLimits,
  updatePlan,
  type WriteAnswer,
  type WriteOptions,
  type WritePlan,
} from '#cloud/tables'
import type { AppReply } from '../area.ts'
import { requireAffected, requireSingle } from './check.ts'
import { givenRows } from './given-rows.ts'
import { tablesRefusals } from './refusals.ts'
import { appliedLine, type RowsReply, rowsReply, span, withStated } from './reply.ts'
import type { TableRequest } from './request.ts'
import { requireTable } from './require-table.ts'

/** Throws RestRefused, StatementFailed, and what reading a body throws. */
export async function write(request: TableRequest): Promise<AppReply> {
  const { method } = request.call
  if (method === 'POST') return insert(request)
  if (method === 'PUT') return put(request)
  return method === 'PATCH' ? update(request) : remove(request)
}

async function insert(request: TableRequest): Promise<AppReply> {
  const { query, preferences, name } = request
  const rows = await givenRows(request.call, { columns: query.columns, usesDefaults: preferences.leavesOut })
  const onConflict = { kind: preferences.onConflict, target: query.onConflict }
  const written = await runPlan(request, (catalogue, table, options) =>
    insertPlan(catalogue, table, query, { rows, onConflict, ...options }),
  )
  // Where nothing was counted, nothing could be merged: all given rows are new.
  const { inserted = rows.number } = written
  const status = preferences.onConflict === 'merge' && inserted === 0 ? 200 : 201
  const reply = writtenReply(request, written, { status, range: `*/${counted(request, written)}` })
  if (written.location.length === 0 || written.rows !== 1) return reply
  const conditions = written.location.map(
    ([column, value]) => `${encodeURIComponent(column)}=${encodeURIComponent(`eq.${value}`)}`,
  )
  const location = `/${encodeURIComponent(name)}?${conditions.join('&')}`
  return { ...reply, headers: [['location', location], ...reply.headers] }
}

/** Inserts the row that the address names, or gives the values of the body to it. */
async function put(request: TableRequest): Promise<AppReply> {
  const { query, preferences } = request
  const { limit, offset = 0 } = query.filters.get(embedPathKey([])) ?? {}
  if (limit !== undefined || offset > 0) refuse(tablesRefusals.putPage)
  const rows = await givenRows(request.call, { columns: query.columns, usesDefaults: false })
  const written = await runPlan(request, (catalogue, table, options) =>
    putPlan(catalogue, table, query, { rows, ...options }),
  )
  const isAnswered = preferences.answers === 'representation'
  return writtenReply(request, written, { status: !isAnswered ? 204 : written.inserted ? 201 : 200 })
}

async function update(request: TableRequest): Promise<AppReply> {
  const { query, preferences } = request
  const rows = await givenRows(request.call, { columns: query.columns, usesDefaults: preferences.leavesOut })
  if (rows.number > 1) refuse(tablesRefusals.oneRow)
  const written = await runPlan(request, (catalogue, table, options) =>
    updatePlan(catalogue, table, query, { rows, ...options }),
  )
  const range = `${span(0, written.rows)}/${counted(request, written)}`
  return writtenReply(request, written, { status: 204, range })
}

async function remove(request: TableRequest): Promise<AppReply> {
  const written = await runPlan(request, (catalogue, table, options) =>
    deletePlan(catalogue, table, request.query, options),
  )
  return writtenReply(request, written, { status: 204, range: `*/${counted(request, written)}` })
}

const counted = ({ preferences }: TableRequest, { rows }: WriteResult): string =>
  preferences.count ? String(rows) : '*'

interface WriteResult extends WriteAnswer {
  stated: ResponseSettings
  /** How many rows are new, of those that could have been merged; undefined where they were not counted. */
  inserted: number | undefined
}

type PlanBuilder = (catalogue: Catalogue, table: DatabaseTable, options: WriteOptions) => WritePlan

const answersOf = { representation: 'rows', 'headers-only': 'location', minimal: 'nothing' } as const

/** Runs one statement; a check of its answer before it is committed costs another round trip. */
async function runPlan(request: TableRequest, make: PlanBuilder): Promise<WriteResult> {
  const { preferences, shape } = request
  const options: WriteOptions = {
    answer: answersOf[preferences.answers],
    maxBytes: tablesLimits.answerBytes,
    withoutNulls: shape.withoutNulls,
    isCsv: shape.kind === 'table',
  }
  let plan: WritePlan | undefined
  const isChecked =
    preferences.rollsBack || preferences.maxAffected !== undefined || options.answer === 'rows'
  const answers = await request.run(
    (catalogue) => {
      const table = requireTable(catalogue, request)
      plan = make(catalogue, table, options)
      return [...plan.statements, responseSettingsStatement]
    },
    {
      isReadOnly: false,
      shouldRollBack: isChecked
        ? (given) => {
            requireWanted(request, plan!.answer(given))
            return preferences.rollsBack
          }
        : undefined,
    },
  )
  const settings = answers.at(-1)?.[0]
  const [, , inserted] = settings ?? []
  return {
    ...plan!.answer(answers),
    stated: readResponseSettings(settings),
    inserted: readInserted(inserted),
  }
}

/** Throws where the answer is not as it should be; the write is then undone. */
function requireWanted(request: TableRequest, { rows, body }: WriteAnswer): void {
  requireAffected(request, rows)
  if (request.preferences.answers !== 'representation') return
  requireSingle(request, rows)
  if (body === undefined) refuse(tablesRefusals.answerTooLarge(tablesLimits.answerBytes))
}

function writtenReply(
  { preferences, shape }: TableRequest,
  { body = '', names, stated }: WriteResult,
  { status, range }: { status: number; range?: string },
): RowsReply {
  const ranges = range === undefined ? [] : [['content-range', range] as const]
  const reply: RowsReply = { status, headers: [...ranges, ...appliedLine(preferences)] }
  if (preferences.answers !== 'representation') return withStated(reply, stated)
  return withStated(
    rowsReply({ ...reply, status: status === 204 ? 200 : status }, shape, { body, names }),
    stated,
  )
}
