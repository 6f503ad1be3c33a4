/** Runs SQL on the database of a dedicated cloud, and describes the database. */

import { auditRequest } from '#account/audit'
import { withPublicListRefresh } from '#cloud/buckets'
import { type CloudRow, keyOf } from '#cloud/clouds'
import type { SqlAnswer } from '#cloud/sql'
import { claimFirst } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import type { DatabaseRoutesApp } from '../app.ts'
import { cloudTarget } from '../clouds/create.ts'
import { reasons } from './phrases.ts'
import type { DatabaseBody } from './schema.ts'

type DatabaseContext<Body = unknown> = RequestContext<DatabaseRoutesApp, Body, unknown, { id: string }>

const collectionFields = ['action', 'table', 'name', 'id', 'data', 'public_read', 'offset'] as const

/** Reads unless both `read_only: false` and `confirm_write: true` are sent. */
export async function runSql(context: DatabaseContext<DatabaseBody>, cloud: CloudRow): Promise<JsonText> {
  const { app, body } = context
  for (const param of collectionFields)
    if (body[param] !== undefined) fail('PLAN_MISMATCH', { plan: 'dedicated' }, { param })
  const { query = fail('INVALID_REQUEST', { why: reasons.query }, { param: 'query' }) } = body
  if (body.read_only ?? true)
    return new JsonText(answerText(await app.sql.read(keyOf(cloud), query), { statements: 1 }))
  if (body.confirm_write !== true) fail('CONFIRM_WRITE_REQUIRED', {}, { param: 'confirm_write' })
  return claimFirst(context, { endpoint: '/v1/cloud/database', statusCode: 200 }, async () => {
    const answer = await withPublicListRefresh(app, keyOf(cloud), () => app.sql.write(keyOf(cloud), query))
    await app.db.tx((tx) => auditSql(tx, context, cloud, answer))
    return answerText(answer, answer)
  })
}

/** SQL may change who reads what. Its text, which may hold anything, is left out; the change itself is in another database, and committed. */
const auditSql = (
  tx: Tx,
  context: DatabaseContext<DatabaseBody>,
  cloud: CloudRow,
  { command, statements }: { command: string | null; statements: number },
): Promise<void> =>
  auditRequest(tx, context, { target: cloudTarget(cloud), after: { last_command: command, statements } })

function answerText(
  { columns, rowsText, rowCount, command, truncated }: SqlAnswer,
  { statements }: { statements: number },
): string {
  const rest = { row_count: rowCount, command, statements, truncated }
  return `{"object":"sql_result","columns":${JSON.stringify(columns)},"rows":${rowsText},${JSON.stringify(rest).slice(1)}`
}

export async function describeDatabase({ app }: DatabaseContext, cloud: CloudRow): Promise<JsonText> {
  const { tablesText, functionsText, bytes, truncated } = await app.sql.describe(keyOf(cloud))
  const rest = JSON.stringify({ bytes, truncated }).slice(1)
  return new JsonText(`{"object":"database","tables":${tablesText},"functions":${functionsText},${rest}`)
}
