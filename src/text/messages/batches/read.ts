/** Reads batches, their list and their results. */
import { requireScope } from '#platform/auth'
import { fail } from '#platform/errors'
import { baseUrlOf, type ContentAnswer, content, type RequestContext } from '#platform/http'
import { framedList } from '#platform/lists'
import type { MessagesApp } from '../app.ts'
import { batchIdOf, batchObject } from './batch.ts'
import { reasons } from './phrases.ts'
import type { BatchListQuery } from './schema.ts'
import * as store from './store.ts'

export type BatchContext = RequestContext<MessagesApp, unknown, unknown, { batch_id: string }>

/** A batch of the caller's project. Throws NOT_FOUND for one that is missing or of another project. */
export async function requireBatch({ app, caller, params }: BatchContext): Promise<store.BatchRow> {
  const batchId = batchIdOf(params.batch_id)
  const batch = batchId && (await store.findBatch(app.db, caller.accountId, caller.projectId, batchId))
  return batch || notFound()
}

export const notFound = (): never => fail('NOT_FOUND', {}, { param: 'batch_id' })

export async function listBatches(context: RequestContext<MessagesApp, unknown, BatchListQuery>) {
  const { app, caller, query } = context
  const { after_id, before_id } = query
  if (after_id !== undefined && before_id !== undefined)
    fail('INVALID_REQUEST', { why: reasons.twoCursors }, { param: 'before_id' })
  const page = await store.listBatches(app.db, caller, {
    limit: query.limit,
    after_id: after_id && batchIdOf(after_id),
    before_id: before_id && batchIdOf(before_id),
  })
  return framedList.answer(page, (batch) => batchObject(batch, baseUrlOf(context)))
}

/**
 * Answers with one line of JSON for each row, in the order of the batch. Of people, those may read answers whose role asks models: to look after usage
 * is no right to content. Throws INSUFFICIENT_ROLE (403).
 */
export async function readResults(context: BatchContext): Promise<ContentAnswer> {
  if (context.caller.kind === 'session') requireScope(context.caller, 'responses:write')
  const batch = await requireBatch(context)
  if (!batch.ended_at) fail('BATCH_NOT_ENDED', {})
  if (batch.archived_at || batch.expires_at.getTime() <= context.app.clock.nowMs())
    fail('BATCH_RESULTS_EXPIRED', { expiredAt: batch.expires_at.toISOString() })
  return content({ mediaType: 'application/x-jsonl', open: () => linesOf(context, batch) })
}

/** Rows in memory at a time. */
const pageRows = 50

async function* linesOf({ app }: BatchContext, batch: store.BatchRow): AsyncGenerator<Buffer> {
  let written = 0
  while (written < batch.total) {
    const rows = await store.resultsAfter(app.db, batch.account_id, batch.batch_id, written - 1, pageRows)
    // The batch was deleted while it was read: the connection must break, so that the result does not look complete.
    if (rows.length === 0) throw new Error('The batch was deleted while its results were read.')
    yield Buffer.from(rows.map(({ custom_id, state, result }) => lineOf(custom_id, state, result)).join(''))
    written += rows.length
  }
}

function lineOf(customId: string, state: store.RowEnd, result: string | null): string {
  const more =
    state === 'succeeded' ? `,"message":${result}` : state === 'errored' ? `,"error":${result}` : ''
  return `{"custom_id":"${customId}","result":{"type":"${state}"${more}}}\n`
}
