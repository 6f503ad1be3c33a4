import type { Static } from 'typebox'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { type CallRow, readCall, requestCallEnd } from '#voice/realtime'
import type { CallRecordsApp } from './app.ts'
import { callRecordOf } from './call-record.ts'
import { endAtHost } from './hosts/end-at-host.ts'
import { reasons } from './phrases.ts'
import { requireCall } from './read.ts'
import type { CallRecord, EndBody, EndQuery } from './schema.ts'

/** How long the answer waits for the call to be settled; after that it has `pending`. */
const waitMs = 3_000
const lookMs = 100

/** DELETE /v1/realtime/calls: ends the call that the body or the query names. */
export function endNamed(
  context: RequestContext<CallRecordsApp, Static<typeof EndBody>, Static<typeof EndQuery>>,
): Promise<CallRecord> {
  const { body, query } = context
  const named = [body.id, body.call_id, query.id].filter((id) => id !== undefined)
  const [name] = named
  if (name === undefined) return fail('INVALID_REQUEST', { why: reasons.noCall }, { param: 'id' })
  if (named.some((one) => one !== name))
    fail('INVALID_REQUEST', { why: reasons.twoCalls }, { param: 'call_id' })
  return endOne(context, name)
}

/** Ends a call of the account and returns it; a call that has ended already is returned as it is. Throws NOT_FOUND. */
export async function endOne(
  context: Pick<RequestContext<CallRecordsApp>, 'app' | 'caller'>,
  name: string,
): Promise<CallRecord> {
  const { app } = context
  const row = await requireCall(context, name)
  return callRecordOf(row.ended_at ? row : await end(app, row), new Date(app.clock.nowMs()))
}

/** Ends the call and returns its row at the end of the wait, ended or not. */
async function end(
  app: CallRecordsApp,
  { account_id: accountId, call_id: callId, process_id: processId }: CallRow,
): Promise<CallRow> {
  const key = { accountId, callId }
  const isEnding = app.realtime.end(callId, 'client') || (await endAtHost(app, processId, callId))
  // The call's process ends it at its next tick.
  if (!isEnding) await requestCallEnd(app.db, key, new Date(app.clock.nowMs()))
  const untilMs = performance.now() + waitMs
  for (;;) {
    const row = (await readCall(app.db, key))!
    if (row.ended_at || performance.now() >= untilMs) return row
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}
