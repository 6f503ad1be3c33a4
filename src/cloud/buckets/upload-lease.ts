/**
 * One request at a time works on an upload: so no bytes come of which only one part will count, and nobody ends what another one finishes.
 * Whoever comes beside it is refused, and whoever has the lease stops receiving soon: a client whose line broke comes back long before its first
 * request learns of that.
 */
import { randomUUID } from 'node:crypto'
import { repetitions } from '#platform/clock'
import { fail } from '#platform/errors'
import type { BucketsRoom } from './blobs.ts'
import * as store from './upload-store.ts'

/** Short, so that an upload whose process was killed goes on while its client still tries. */
const leaseMs = 10_000

export interface UploadLease {
  id: string
  /** As it stood when the lease began. */
  upload: store.UploadRow
  /** Another request waits, or has the lease already. */
  wanted: AbortSignal
}

/** Throws UPLOAD_LOCKED and UPLOAD_NOT_FOUND. */
export async function withLease<Result>(
  { db, clock }: Pick<BucketsRoom, 'db' | 'clock'>,
  upload: store.UploadRow,
  work: (lease: UploadLease) => Promise<Result>,
): Promise<Result> {
  const id = randomUUID()
  const until = () => new Date(clock.nowMs() + leaseMs)
  const now = new Date(clock.nowMs())
  const current = await store.takeLease(db, upload, id, { now, until: until() })
  if (!current) {
    const isThere = await store.wantLease(db, upload, now)
    return isThere ? fail('UPLOAD_LOCKED', {}, { retryAfterMs: 1_000 }) : fail('UPLOAD_NOT_FOUND', {})
  }
  const wanted = new AbortController()
  const renew = async () => {
    if ((await store.renewLease(db, upload, id, until())) !== false) wanted.abort()
  }
  // A database that is away for longer than the lease lets another one have it; what this one then writes is refused.
  const renewal = repetitions.every(leaseMs / 4, 'renewal of an upload', async () => {
    // Not awaited: where one hangs, the next goes out all the same.
    void renew().catch(() => undefined)
  })
  try {
    return await work({ id, upload: current, wanted: wanted.signal })
  } finally {
    void renewal.stop()
    await store.endLease(db, upload, id).catch(() => undefined)
  }
}
