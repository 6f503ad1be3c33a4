/**
 * One request at a time works on an upload, so that no two requests send bytes of which only one's count, and none ends what another finishes. A
 * second request is refused, and the holder of the lease stops receiving soon: a client whose connection broke comes back long before its first
 * request notices that.
 */
import { randomUUID } from 'node:crypto'
import { repetitions } from '#platform/clock'
import { fail } from '#platform/errors'
import type { BucketsApp } from './app.ts'
import * as store from './upload-store.ts'

/** The lease is short, so that an upload whose process was killed goes on while its client still tries. */
const leaseMs = 10_000

export interface UploadLease {
  id: string
  /** The upload as it was when the lease began. */
  upload: store.UploadRow
  /** Aborts when another request waits, or has the lease already. */
  takeoverSignal: AbortSignal
}

/** Throws UPLOAD_LOCKED and UPLOAD_NOT_FOUND. */
export async function withLease<Result>(
  { db, clock }: Pick<BucketsApp, 'db' | 'clock'>,
  upload: store.UploadRow,
  work: (lease: UploadLease) => Promise<Result>,
): Promise<Result> {
  const id = randomUUID()
  const until = () => new Date(clock.nowMs() + leaseMs)
  const now = new Date(clock.nowMs())
  const current = await store.takeLease(db, upload, id, { now, until: until() })
  if (!current) {
    const isThere = await store.requestLease(db, upload, now)
    return isThere ? fail('UPLOAD_LOCKED', {}, { retryAfterMs: 1_000 }) : fail('UPLOAD_NOT_FOUND', {})
  }
  const takeover = new AbortController()
  const renew = async () => {
    if ((await store.renewLease(db, upload, id, until())) !== false) takeover.abort()
  }
  // If the database is away for longer than the lease, another request can get it; what this request then writes is refused.
  const renewal = repetitions.every(leaseMs / 4, 'renewal of an upload', async () => {
    // A renewal is not awaited: where one hangs, the next is sent all the same.
    void renew().catch(() => undefined)
  })
  try {
    return await work({ id, upload: current, takeoverSignal: takeover.signal })
  } finally {
    void renewal.stop()
    await store.endLease(db, upload, id).catch(() => undefined)
  }
}
