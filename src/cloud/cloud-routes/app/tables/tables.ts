/** `/rest/v1` of a dedicated cloud: its tables and functions, as the role of the caller (docs/decisions/cloud/database-requests.md). */
import type { ReadOnlyReason } from '#cloud/clouds'
import { type OpenDatabase, readOnlyCause, readOnlyState, StatementFailed } from '#cloud/databases'
import { databaseRefusal, hasTimeZone, onTables, parseQuery, type Refusal, refuse } from '#cloud/tables'
import { declarationOf } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { databaseCaller } from '../claims.ts'
import { type Preferences, preferencesOf, shapeOf } from '../rest/preferences.ts'
import { refusals } from '../rest/refusals.ts'
import type { RestTarget } from '../rest/target.ts'
import { callFunction } from './call.ts'
import { describe } from './describe.ts'
import { read } from './read.ts'
import type { TableRequest, TablesRequest } from './request.ts'
import { withHint } from './require-table.ts'
import { write } from './write.ts'

/** Throws RestRefused and Failures. */
export async function answerTables(call: AppCall, { name, isFunction }: RestTarget): Promise<AppReply> {
  const preferences = await withTimeZone(call, preferencesOf(call.headers, { isOfTables: true }))
  const { timeZone } = preferences
  const request: TablesRequest = {
    ...{ call, schema: 'public', name, preferences },
    // The description of the tables has a type of its own.
    shape: name === '' ? { kind: 'list', withoutNulls: false } : shapeOf(call.headers),
    run: (make, options) =>
      inCloud(call, (open) =>
        onTables(open, databaseCaller(call), make, {
          ...{ ...options, timeZone },
          isReadOnly: options.isReadOnly || call.cloud.readOnlyWhy !== null,
        }),
      ),
  }
  if (name === '' && !isFunction) return describe(request)
  const answer = isFunction
    ? callFunction(request)
    : answerRows({ ...request, query: parseQuery(call.query) })
  return answer.catch(async (error: unknown) => {
    throw await withHint(request, error)
  })
}

async function answerRows(request: TableRequest): Promise<AppReply> {
  const { method } = request.call
  if (method === 'GET' || method === 'HEAD') return read(request)
  if (['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) return write(request)
  return refuse(refusals.method(method, 'PUT'))
}

/** Leaves a time zone out that the database does not know. Throws RestRefused where every preference has to be followed. */
async function withTimeZone(call: AppCall, preferences: Preferences): Promise<Preferences> {
  const { timeZone, isStrict, applied } = preferences
  if (timeZone === undefined || (await inCloud(call, (open) => hasTimeZone(open, timeZone))))
    return preferences
  const unknown = `timezone=${timeZone}`
  if (isStrict) refuse(refusals.preference(unknown))
  return { ...preferences, timeZone: undefined, applied: applied.filter((one) => one !== unknown) }
}

/** Runs `work` on the database; throws its refusals in the format of PostgREST. */
async function inCloud<Result>(
  call: AppCall,
  work: (open: OpenDatabase) => Promise<Result>,
): Promise<Result> {
  let readOnlyWhy: ReadOnlyReason | 'machine' | null = call.cloud.readOnlyWhy
  try {
    return await call.app.databases.use(call.cloud, (open) =>
      work(open).finally(() => {
        // The disk may have become full only now.
        readOnlyWhy ??= readOnlyCause(open.disk)
      }),
    )
  } catch (error) {
    if (!(error instanceof StatementFailed)) throw error
    return refuse(refusalOf(error, call.caller.role !== 'anon', readOnlyWhy))
  }
}

function refusalOf(
  failed: StatementFailed,
  isKnown: boolean,
  readOnlyWhy: ReadOnlyReason | 'machine' | null,
): Refusal {
  const refusal = databaseRefusal(failed, isKnown)
  if (failed.report.sqlState !== readOnlyState || readOnlyWhy === null) return refusal
  const { en, fa } = declarationOf('CLOUD_READ_ONLY')
  const why = { why: readOnlyWhy }
  return { ...refusal, hint: { en: en(why), fa: fa(why) } }
}
