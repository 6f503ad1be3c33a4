/** `/rest/v1` of a dedicated cloud: its tables and functions, as the role of whoever asks (docs/decisions/0082). */
import { StatementFailed } from '#engine/databases'
import {
  databaseRefusal,
  onTables,
  parseQuery,
  refuse as refuseTables,
  type TablesRefusal,
} from '#engine/tables'
import { declarationOf } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { databaseCaller } from '../claims.ts'
import { preferencesOf, shapeOf } from '../rest/preferences.ts'
import { refusals, refuse } from '../rest/refusals.ts'
import { callFunction } from './call.ts'
import { describe } from './describe.ts'
import { read } from './read.ts'
import type { TablesRequest } from './request.ts'
import { write } from './write.ts'

const schema = 'public'

/** Throws TablesRefused, RestRefused and Failures. */
export async function answerTables(call: AppCall): Promise<AppReply> {
  requireExposed(call)
  const [name = '', rest, ...more] = call.path.replace(/^\//, '').split('/').map(decoded)
  const isCall = name === 'rpc' && rest !== undefined && more.length === 0
  if (rest !== undefined && !isCall) refuse(refusals.path)
  const request: TablesRequest = {
    ...{ call, schema, name: rest ?? name },
    preferences: preferencesOf(call.headers),
    // What describes the tables has a type of its own.
    shape: name === '' ? { kind: 'list', withoutNulls: false } : shapeOf(call.headers),
    run: (make, options) =>
      inCloud(call, (open) =>
        onTables(open, databaseCaller(call), make, {
          ...options,
          isReadOnly: options.isReadOnly || call.cloud.readOnlyWhy !== null,
        }),
      ),
  }
  if (name === '') return describe(request)
  if (isCall) return callFunction(request)
  const query = parseQuery(call.query)
  if (call.method === 'GET' || call.method === 'HEAD') return read({ ...request, query })
  if (['POST', 'PATCH', 'DELETE'].includes(call.method)) return write({ ...request, query })
  return refuse(refusals.method(call.method))
}

/** One schema is open to apps, which they may name. */
function requireExposed({ method, headers }: AppCall): void {
  const isRead = method === 'GET' || method === 'HEAD'
  const named = headers[isRead ? 'accept-profile' : 'content-profile']
  if (named !== undefined && named !== schema) refuse(refusals.schema(String(named)))
}

/** No name has the character 0, which PostgreSQL takes in no text. */
function decoded(segment: string): string {
  try {
    const text = decodeURIComponent(segment)
    return text.includes('\0') ? refuse(refusals.path) : text
  } catch {
    return refuse(refusals.path)
  }
}

type Work<Result> = Parameters<AppCall['app']['databases']['use']>[1] extends (open: infer Open) => unknown
  ? (open: Open) => Promise<Result>
  : never

/** Throws what the database refuses in the words of PostgREST. */
async function inCloud<Result>(call: AppCall, work: Work<Result>): Promise<Result> {
  try {
    return await call.app.databases.use(call.cloud, work)
  } catch (error) {
    if (error instanceof StatementFailed) return refuseTables(refusalOf(error, call))
    throw error
  }
}

const readOnlyState = '25006'

function refusalOf(failed: StatementFailed, call: AppCall): TablesRefusal {
  const refusal = databaseRefusal(failed, call.caller.role !== 'anon')
  const { readOnlyWhy } = call.cloud
  if (failed.report.sqlState !== readOnlyState || readOnlyWhy === null) return refusal
  const { en, fa } = declarationOf('CLOUD_READ_ONLY')
  const why = { why: readOnlyWhy }
  return { ...refusal, hint: { en: en(why), fa: fa(why) } }
}
