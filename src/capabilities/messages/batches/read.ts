/** What there is to read of batches. */
import { Readable } from 'node:stream'
import { fail } from '#platform/errors'
import { Answer, type Ask, baseUrlOf } from '#platform/http'
import { framedList } from '#platform/lists'
import { batchIdOf, shownBatch } from './batch.ts'
import type { ListQuery } from './schema.ts'
import * as store from './store.ts'
import { reasons } from './words.ts'

export type BatchAsk = Ask<unknown, unknown, { batch_id: string }>

/** A batch of the caller's project; anybody else's answers as a missing one. */
export async function ownBatch({ app, caller, params }: BatchAsk): Promise<store.BatchRow> {
  const batchId = batchIdOf(params.batch_id)
  const batch = batchId && (await store.findBatch(app.db, caller.accountId, caller.projectId, batchId))
  return batch || notFound()
}

export const notFound = (): never => fail('NOT_FOUND', {}, { param: 'batch_id' })

export async function listBatches(ask: Ask<unknown, ListQuery>) {
  const { app, caller, query } = ask
  const { after_id, before_id } = query
  if (after_id !== undefined && before_id !== undefined)
    fail('INVALID_REQUEST', { why: reasons.twoCursors }, { param: 'before_id' })
  const page = await store.listBatches(app.db, caller, {
    limit: query.limit,
    after_id: after_id && batchIdOf(after_id),
    before_id: before_id && batchIdOf(before_id),
  })
  return framedList.answer(page, (batch) => shownBatch(batch, baseUrlOf(ask)))
}

/** One line of JSON for each row, in the order of the batch. */
export async function readResults(ask: BatchAsk): Promise<Answer> {
  const batch = await ownBatch(ask)
  if (!batch.ended_at) fail('BATCH_NOT_ENDED', {})
  if (batch.archived_at || batch.expires_at.getTime() <= ask.app.clock.nowMs())
    fail('BATCH_RESULTS_EXPIRED', { expiredAt: batch.expires_at.toISOString() })
  return new Answer(200, Readable.from(linesOf(ask, batch)), 'application/x-jsonl')
}

/** Rows in memory at a time. */
const pageRows = 50

async function* linesOf({ app }: BatchAsk, batch: store.BatchRow): AsyncGenerator<string> {
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
