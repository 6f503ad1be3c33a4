/** Ends batches early: by cancelling, expiry and deletion. */
import { acceptOnce } from '#core/calls'
import { fail } from '#platform/errors'
import { baseUrlOf, type JsonText } from '#platform/http'
import { job } from '../app.ts'
import { batchObject, publicId } from './batch.ts'
import { type BatchContext, notFound, requireBatch } from './read.ts'
import * as store from './store.ts'

declare module '#platform/events' {
  interface Events {
    /** Written by the functions of the schema `batches`, in the transaction that ends the batch. */
    'batch.completed': unknown
    'batch.cancelled': unknown
  }
}

/** Cancels a batch: no further row starts. A job ends the rows that have not started; rows that have started are completed. */
export async function cancelBatch(context: BatchContext): Promise<JsonText> {
  const { app, caller } = context
  const { batch_id: batchId } = await requireBatch(context)
  const { accountId } = caller
  const now = new Date(app.clock.nowMs())
  const accept = { endpoint: '/v1/messages/batches/cancel', statusCode: 200, now }
  return acceptOnce(context, accept, async (tx) => {
    const batch = await store.cancelBatch(tx, accountId, caller.projectId, batchId, now)
    if (!batch) return notFound()
    if (!batch.ended_at)
      await app.jobs.enqueue(tx, cancelJob, { accountId, data: { batchId }, singletonKey: batchId })
    return batchObject(batch, baseUrlOf(context))
  })
}

/** Deletes a batch with its prompts and answers. */
export async function deleteBatch(context: BatchContext) {
  const { app, caller } = context
  const { batch_id: batchId, ended_at: endedAt } = await requireBatch(context)
  if (!endedAt) fail('BATCH_NOT_ENDED', {})
  if (!(await store.deleteBatch(app.db, caller.accountId, caller.projectId, batchId))) notFound()
  return { id: publicId(batchId), type: 'message_batch_deleted' }
}

export const cancelJob = job<{ batchId: string }>({
  name: 'batches.cancel',
  limits: () => ({ perAccount: 4, perProcess: 16 }),
  async handle({ app, accountId, data }) {
    await store.endWaiting(app.db, accountId, data.batchId, 'canceled', new Date(app.clock.nowMs()))
    return undefined
  },
})

const cleanupIntervalMs = 60_000
const overdueBatchSize = 1000
const archiveBatchSize = 20

/** Expires rows that could not start in time, and deletes results whose retention has ended. */
export const tidyJob = job<null>({
  name: 'batches.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: cleanupIntervalMs,
  async handle({ app, signal }) {
    const now = new Date(app.clock.nowMs())
    for (const { account_id, batch_id } of await store.overdueBatches(app.db, now, overdueBatchSize))
      if (!signal.aborted) await store.endWaiting(app.db, account_id, batch_id, 'expired', now)
    while (
      !signal.aborted &&
      (await store.archiveBatches(app.db, now, archiveBatchSize)) === archiveBatchSize
    );
    return undefined
  },
})
