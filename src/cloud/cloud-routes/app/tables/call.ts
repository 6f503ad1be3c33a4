/** `/rest/v1/rpc/<function>`: functions of the database. */
import {
  type CallPlan,
  callPlan,
  chooseRoutine,
  parseQuery,
  type ReadAnswer,
  type Routine,
  type RoutineArguments,
  readResponseSettings,
  refuse,
  responseSettingsStatement,
  routineForWholeBody,
  routinesOf,
  tablesLimits,
} from '#cloud/tables'
import type { AppCall, AppReply } from '../area.ts'
import { requireAffected, requireSingle } from './check.ts'
import { bodyTypeOf, formMembers, givenMembers, isJson } from './given-rows.ts'
import { tablesRefusals } from './refusals.ts'
import { appliedLine, pageStatus, type RowsReply, rowsReply, span, typeLine, withStated } from './reply.ts'
import type { TablesRequest } from './request.ts'

/** Calls a function. GET and HEAD change nothing, whatever the function states about itself. Throws as `write` does. */
export async function callFunction(request: TablesRequest): Promise<AppReply> {
  const { call, preferences } = request
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  if (!isRead && call.method !== 'POST') refuse(tablesRefusals.callMethod(call.method))
  const body = isRead ? undefined : await readBody(call)
  let plan: CallPlan | undefined
  const isChecked =
    preferences.rollsBack || preferences.maxAffected !== undefined || request.shape.kind === 'single'
  const answers = await request.run(
    (catalogue) => {
      const all = routinesOf(catalogue, request.schema, request.name)
      const { routine, given, filters } = body ? callFromBody(all, body, call) : callFromQuery(all, call)
      plan = callPlan(catalogue, routine, parseQuery(filters), {
        given,
        maxRows: tablesLimits.pageRows,
        maxBytes: tablesLimits.answerBytes,
        count: preferences.count,
        withoutNulls: request.shape.withoutNulls,
        isCsv: request.shape.kind === 'table',
      })
      return [...plan.statements, responseSettingsStatement]
    },
    {
      isReadOnly: isRead,
      shouldRollBack: isChecked
        ? (given) => {
            const { rows } = plan!.answer(given)
            requireAffected(request, rows)
            if (plan!.returns.isSet) requireSingle(request, rows)
            return preferences.rollsBack
          }
        : undefined,
    },
  )
  const reply = replyOf(request, plan!, plan!.answer(answers))
  return withStated(reply, readResponseSettings(answers.at(-1)?.[0]))
}

interface RoutineCall {
  routine: Routine
  given: RoutineArguments
  filters: Iterable<readonly [string, string]>
}

type CallBody =
  | { kind: 'members'; names: string[]; json: string }
  | { kind: 'whole'; type: string; bytes: Buffer }

async function readBody(call: AppCall): Promise<CallBody> {
  const type = bodyTypeOf(call)
  const bytes = await call.bytes(tablesLimits.bodyBytes)
  // Parsing JSON frees the bytes.
  const whole: CallBody = { kind: 'whole', type, bytes: Buffer.from(bytes) }
  if (type === 'application/x-www-form-urlencoded') {
    const members = formMembers(bytes)
    return { kind: 'members', names: Object.keys(members), json: JSON.stringify(members) }
  }
  if (!isJson(type)) return whole
  const members = await givenMembers(bytes)
  return members ? { kind: 'members', ...members } : { ...whole, type: 'application/json' }
}

/** A function whose only parameter has no name takes the body as it is. */
function callFromBody(all: readonly Routine[], body: CallBody, { query }: AppCall): RoutineCall {
  const filters = [...query]
  if (body.kind === 'whole') {
    const routine = routineForWholeBody(all, body.type) ?? refuse(tablesRefusals.bodyType(body.type))
    return { routine, given: { kind: 'whole', body: body.bytes }, filters }
  }
  const whole = routineForWholeBody(all, 'application/json')
  const others = all.filter((one) => one !== whole)
  const fits =
    whole === undefined || others.some(({ parameters }) => acceptsArguments(parameters, body.names))
  if (!fits) return { routine: whole, given: { kind: 'whole', body: Buffer.from(body.json) }, filters }
  return { routine: chooseRoutine(all, body.names), given: body, filters }
}

const acceptsArguments = (parameters: Routine['parameters'], names: readonly string[]): boolean =>
  names.every((name) => parameters.some((one) => one.name === name)) &&
  parameters.every((one) => one.hasDefault || one.isVariadic || names.includes(one.name))

const filterText = /^(?:not\.)?[a-z]+(?:\([^)]*\))?\./

/**
 * Parameters of the query that a function has by name are its arguments, and all others filter its rows. A parameter that looks like a filter of a
 * column that the function returns is a filter.
 */
function callFromQuery(all: readonly Routine[], { query }: AppCall): RoutineCall {
  const texts = new Map<string, string[]>()
  const filters: [string, string][] = []
  const names = new Set(all.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  const columns = new Set(all.flatMap(({ returns }) => [...(returns.table?.columns.keys() ?? [])]))
  for (const [name, value] of query) {
    const isFilter = !names.has(name) || (columns.has(name) && filterText.test(value))
    if (isFilter) filters.push([name, value])
    else if (texts.has(name)) texts.get(name)!.push(value)
    else texts.set(name, [value])
  }
  return { routine: chooseRoutine(all, [...texts.keys()]), given: { kind: 'texts', texts }, filters }
}

function replyOf(request: TablesRequest, plan: CallPlan, answer: ReadAnswer): RowsReply {
  const { preferences, shape, call } = request
  const { returns, offset } = plan
  if (returns.isVoid) return { status: 204, headers: appliedLine(preferences) }
  const { body, rows, total } = answer
  if (body === undefined) return refuse(tablesRefusals.answerTooLarge(tablesLimits.answerBytes))
  const status = returns.isSet ? pageStatus({ offset, rows, total }) : 200
  const range = ['content-range', `${span(offset, rows)}/${total ?? '*'}`] as const
  const reply: RowsReply = { status, headers: [range, ...appliedLine(preferences)] }
  const whole: RowsReply =
    returns.isSet || shape.kind === 'table'
      ? rowsReply(reply, shape, { body, names: answer.names })
      : {
          ...reply,
          headers: [...reply.headers, typeLine(shape.kind)],
          body: Buffer.from(rows === 0 ? 'null' : body),
        }
  return call.method === 'HEAD' ? { ...whole, body: undefined } : whole
}
