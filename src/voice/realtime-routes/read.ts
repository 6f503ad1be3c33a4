import type { Static } from 'typebox'
import type { Caller } from '#platform/auth'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { plainList } from '#platform/lists'
import { type CallRow, callIdOf, listCalls, readCall } from '#voice/realtime'
import type { CallRecordsApp } from './app.ts'
import { callRecordOf } from './call-record.ts'
import type { CallsQuery } from './schema.ts'

/** A call of the caller's account, whichever key began it; for a client secret, one that it began itself. Throws NOT_FOUND. */
export async function requireCall(
  { app, caller }: { app: Pick<CallRecordsApp, 'db'>; caller: Caller },
  name: string,
): Promise<CallRow> {
  const callId = callIdOf(name)
  const row = callId && (await readCall(app.db, { accountId: caller.accountId, callId }))
  const { clientSecretHash: hash } = caller
  const isTheirs = row && (!hash || row.secret_hash?.equals(hash))
  return isTheirs ? row : fail('NOT_FOUND', {}, { param: 'id' })
}

export const getCall = async (context: RequestContext<CallRecordsApp, unknown, unknown, { id: string }>) =>
  callRecordOf(await requireCall(context, context.params.id), new Date(context.app.clock.nowMs()))

export async function list({
  app,
  caller,
  query: { after_id, ...query },
}: RequestContext<CallRecordsApp, unknown, Static<typeof CallsQuery>>) {
  const now = new Date(app.clock.nowMs())
  const after = after_id === undefined ? undefined : callIdOf(after_id)
  const page = await listCalls(app.db, caller.accountId, { ...query, after_id: after })
  return plainList.answer(page, (row) => callRecordOf(row, now))
}
