/** The transcript of a call that keeps it. */
import type { Static } from 'typebox'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { type CallRow, callName, deleteKeptContent, readTranscript } from '#voice/realtime'
import type { CallRecordsApp } from './app.ts'
import { requireCall } from './read.ts'
import type { Transcript, TranscriptQuery } from './schema.ts'

type CallIdContext = RequestContext<CallRecordsApp, unknown, unknown, { id: string }>

export async function getTranscript(
  context: RequestContext<CallRecordsApp, unknown, Static<typeof TranscriptQuery>, { id: string }>,
): Promise<Transcript> {
  const { app, query, params } = context
  const row = await requireCall(context, params.id)
  if (!row.store) return notKept()
  const { rows, hasMore } = await readTranscript(app.db, keyOf(row), {
    after: query.after,
    limit: query.limit,
  })
  return {
    object: 'realtime.transcript',
    data: rows.map(({ position, role, words, at_ms }) => ({ position, role, text: words, at_ms })),
    has_more: hasMore,
    last: rows.at(-1)?.position ?? null,
  }
}

/** Deletes the words and the sound for good; a running call goes on, and nothing more of it is kept. */
export async function deleteTranscript(context: CallIdContext) {
  const row = await requireCall(context, context.params.id)
  if (!(await deleteKeptContent(context.app, keyOf(row)))) return notKept()
  return { id: callName(row.call_id), object: 'realtime.transcript' as const, deleted: true as const }
}

const keyOf = ({ account_id, call_id }: CallRow) => ({ accountId: account_id, callId: call_id })

const notKept = (): never => fail('NOT_FOUND', {}, { param: 'id' })
