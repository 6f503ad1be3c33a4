/** What there is to read of batches. */
import { Readable } from 'node:stream'
import { fail } from '#platform/errors'
import { Answer, baseUrlOf, type RequestContext } from '#platform/http'
import { framedList } from '#platform/lists'
import { batchIdOf, shownBatch } from './batch.ts'
import { reasons } from './phrases.ts'
import type { ListQuery } from './schema.ts'
import * as store from './store.ts'

export type BatchOptions = RequestContext<unknown, unknown, { batch_id: string }>

/** A batch of the caller's project; anybody else's answers as a missing one. */
export async function ownBatch({ app, caller, params }: BatchOptions): Promise<store.BatchRow> {
  const batchId = batchIdOf(params.batch_id)
  const batch = batchId && (await store.findBatch(app.db, caller.accountId, caller.projectId, batchId))
  return batch || notFound()
}

export const notFound = (): never => fail('NOT_FOUND', {}, { param: 'batch_id' })

export async function listBatches(context: RequestContext<unknown, ListQuery>) {
  const { app, caller, query } = context
  const { after_id, before_id } = query
  if (after_id !== undefined && before_id !== undefined)
    fail('INVALID_REQUEST', { why: reasons.twoCursors }, { param: 'before_id' })
  const page = await store.listBatches(app.db, caller, {
    limit: query.limit,
    after_id: after_id && batchIdOf(after_id),
    before_id: before_id && batchIdOf(before_id),
  })
  return framedList.answer(page, (batch) => shownBatch(batch, baseUrlOf(context)))
}

/** One line of JSON for each row, in the order of the batch. */
export async function readResults(options: BatchOptions): Promise<Answer> {
  const batch = await ownBatch(options)
  if (!batch.ended_at) fail('BATCH_NOT_ENDED', {})
  if (batch.archived_at || batch.expires_at.getTime() <= options.app.clock.nowMs())
    fail('BATCH_RESULTS_EXPIRED', { expiredAt: batch.expires_at.toISOString() })
  return new Answer(200, Readable.from(linesOf(options, batch)), 'application/x-jsonl')
}

/** Rows in memory at a time. */
const pageRows = 50

async function* linesOf({ app }: BatchOptions, batch: store.BatchRow): AsyncGenerator<string> {
  let told = 0
  while (told < batch.total) {
    const rows = await store.resultsAfter(app.db, batch.account_id, batch.batch_id, told - 1, pageRows)
    // Deleted while it was read: a cut connection, never a good end.
    if (rows.length === 0) throw new Error('The batch was deleted while its results were read.')
    yield rows.map(({ custom_id, state, result }) => lineOf(custom_id, state, result)).join('')
    told += rows.length
  }
}

function lineOf(customId: string, state: store.RowEnd, result: string | null): string {
  const more =
    state === 'succeeded' ? `,"message":${result}` : state === 'errored' ? `,"error":${result}` : ''
  return `{"custom_id":"${customId}","result":{"type":"${state}"${more}}}\n`
}
