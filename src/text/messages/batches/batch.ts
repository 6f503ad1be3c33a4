/** The public form of a batch. */
import type { MessageBatch } from './schema.ts'
import type { BatchRow } from './store.ts'

/** Bytes of a whole batch. */
export const maxBatchBytes = 32 * 1024 * 1024

const prefix = 'msgbatch_'

export const publicId = (batchId: string): string => prefix + batchId.replaceAll('-', '')

/** The id in the database, or undefined if the text is not a batch id. */
export function batchIdOf(publicBatchId: string): string | undefined {
  const hex = /^msgbatch_([0-9a-f]{32})$/.exec(publicBatchId)?.[1]
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function batchObject(row: BatchRow, base: string): MessageBatch {
  const { succeeded, errored, canceled, expired } = row
  const id = publicId(row.batch_id)
  return {
    id,
    type: 'message_batch',
    processing_status: row.ended_at ? 'ended' : row.cancel_initiated_at ? 'canceling' : 'in_progress',
    request_counts: {
      processing: row.total - succeeded - errored - canceled - expired,
      succeeded,
      errored,
      canceled,
      expired,
    },
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    expires_at: row.expires_at.toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
    cancel_initiated_at: row.cancel_initiated_at?.toISOString() ?? null,
    results_url: row.ended_at ? `${base}/v1/messages/batches/${id}/results` : null,
  }
}
