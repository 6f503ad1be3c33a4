/** `/rest/v1` of a dedicated cloud: its tables and functions, as the role of the caller (docs/decisions/cloud/database-requests.md). */
import type { ReadOnlyReason } from '#cloud/clouds'
import { type OpenDatabase, readOnlyCause, readOnlyState, StatementFailed } from '#cloud/databases'
import { databaseRefusal, onTables, parseQuery, type Refusal, refuse } from '#cloud/tables'
import { declarationOf } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { databaseCaller } from '../claims.ts'
import { preferencesOf, shapeOf } from '../rest/preferences.ts'
import { refusals } from '../rest/refusals.ts'
import type { RestTarget } from '../rest/target.ts'
import { callFunction } from './call.ts'
import { describe } from './describe.ts'
import { read } from './read.ts'
import type { TablesRequest } from './request.ts'
import { write } from './write.ts'

/** Throws RestRefused and Failures. */
export async function answerTables(call: AppCall, { name, isFunction }: RestTarget): Promise<AppReply> {
  const request: TablesRequest = {
    ...{ call, schema: 'public', name },
    preferences: preferencesOf(call.headers),
    // The description of the tables has a type of its own.
    shape: name === '' ? { kind: 'list', withoutNulls: false } : shapeOf(call.headers),
    run: (make, options) =>
      inCloud(call, (open) =>
        onTables(open, databaseCaller(call), make, {
          ...options,
          isReadOnly: options.isReadOnly || call.cloud.readOnlyWhy !== null,
        }),
      ),
  }
  if (isFunction) return callFunction(request)
  if (name === '') return describe(request)
  const query = parseQuery(call.query)
  if (call.method === 'GET' || call.method === 'HEAD') return read({ ...request, query })
  if (['POST', 'PATCH', 'DELETE'].includes(call.method)) return write({ ...request, query })
  return refuse(refusals.method(call.method))
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
