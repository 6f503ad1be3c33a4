/** Batches that end before their rows do: cancelled, expired, deleted. */
import { acceptOnce } from '#capabilities/calls'
import { fail } from '#platform/errors'
import { baseUrlOf, type JsonText } from '#platform/http'
import { job } from '#platform/jobs'
import { shownBatch, shownId } from './batch.ts'
import { type BatchOptions, notFound, ownBatch } from './read.ts'
import * as store from './store.ts'

declare module '#platform/events' {
  interface Events {
    /** Written by the functions of the schema `batches`, in the transaction that ends the batch. */
    'batch.completed': unknown
    'batch.cancelled': unknown
  }
}

/** No row of the batch begins any more; those that have not begun are ended by a job, those that have go on to their end. */
export async function cancelBatch(options: BatchOptions): Promise<JsonText> {
  const { app, caller } = options
  const { batch_id: batchId } = await ownBatch(options)
  const { accountId } = caller
  const now = new Date(app.clock.nowMs())
  const accept = { endpoint: '/v1/messages/batches/cancel', statusCode: 200, now }
  return acceptOnce(options, accept, async (tx) => {
    const batch = await store.cancelBatch(tx, accountId, caller.projectId, batchId, now)
    if (!batch) return notFound()
    if (!batch.ended_at)
      await app.jobs.enqueue(tx, cancelJob, { accountId, data: { batchId }, singletonKey: batchId })
    return shownBatch(batch, baseUrlOf(options))
  })
}

/** Prompts and answers go with it. */
export async function deleteBatch(options: BatchOptions) {
  const { app, caller } = options
  const { batch_id: batchId, ended_at: endedAt } = await ownBatch(options)
  if (!endedAt) fail('BATCH_NOT_ENDED', {})
  if (!(await store.deleteBatch(app.db, caller.accountId, caller.projectId, batchId))) notFound()
  return { id: shownId(batchId), type: 'message_batch_deleted' }
}

export const cancelJob = job<{ batchId: string }>({
  name: 'batches.cancel',
  limits: () => ({ perAccount: 4, perProcess: 16 }),
  async handle({ app, accountId, data }) {
    await store.endWaiting(app.db, accountId, data.batchId, 'canceled', new Date(app.clock.nowMs()))
    return undefined
  },
})

const tidyMs = 60_000
const overdueAtOnce = 1000
const archivedAtOnce = 20

/** Ends what could not begin in time, and deletes what was kept long enough. */
export const tidyJob = job<null>({
  name: 'batches.tidy',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: tidyMs,
  async handle({ app, signal }) {
    const now = new Date(app.clock.nowMs())
    for (const { account_id, batch_id } of await store.overdue(app.db, now, overdueAtOnce))
      if (!signal.aborted) await store.endWaiting(app.db, account_id, batch_id, 'expired', now)
    while (!signal.aborted && (await store.archive(app.db, now, archivedAtOnce)) === archivedAtOnce);
    return undefined
  },
})
