/** Creates, changes, empties and deletes buckets, as the policies of storage.buckets allow the caller. */
import type { CloudKey } from '#cloud/clouds'
import type { OpenDatabase } from '#cloud/databases'
import { fail } from '#platform/errors'
import type { BucketsApp } from './app.ts'
import {
  isForeignKeyViolation,
  isUniqueViolation,
  type ObjectCaller,
  readerRunner,
  runAsCaller,
} from './as-caller.ts'
import { markUnresolved, resolveBlobs } from './blobs.ts'
import * as store from './bucket-store.ts'
import { deleteSome } from './object-store.ts'

type BucketFields = Omit<store.NewBucket, 'now' | 'owner'>

/** Throws BUCKET_EXISTS and OBJECT_DENIED. */
export async function createBucket(
  { clock }: Pick<BucketsApp, 'clock'>,
  open: OpenDatabase,
  caller: ObjectCaller,
  bucket: BucketFields,
): Promise<void> {
  const row = { ...bucket, owner: caller.userId ?? null, now: new Date(clock.nowMs()) }
  try {
    await runAsCaller(open, caller, (run) => store.insertBucket(run, row))
  } catch (error) {
    if (isUniqueViolation(error)) fail('BUCKET_EXISTS', { bucket: bucket.id })
    throw error
  }
}

/** Throws BUCKET_NOT_FOUND, also where no policy lets the caller see the bucket. */
export const requireBucket = async (
  open: OpenDatabase,
  caller: ObjectCaller,
  id: string,
): Promise<store.BucketRow> =>
  (await runAsCaller(open, caller, (run) => store.findBucket(run, id))) ??
  fail('BUCKET_NOT_FOUND', { bucket: id })

export const findBucket = (open: OpenDatabase, id: string): Promise<store.BucketRow | undefined> =>
  store.findBucket(readerRunner(open), id)

/** Returns a bucket with its limits, whoever the caller is. Throws BUCKET_NOT_FOUND. */
export const readBucket = async (open: OpenDatabase, id: string): Promise<store.BucketRow> =>
  (await findBucket(open, id)) ?? fail('BUCKET_NOT_FOUND', { bucket: id })

/** Throws BUCKET_NOT_FOUND and OBJECT_DENIED. */
export async function changeBucket(
  { clock }: Pick<BucketsApp, 'clock'>,
  open: OpenDatabase,
  { caller, id, change }: { caller: ObjectCaller; id: string; change: store.BucketChange },
): Promise<void> {
  const now = new Date(clock.nowMs())
  const changed = await runAsCaller(open, caller, (run) => store.updateBucket(run, id, change, now))
  if (changed === 0) await failNotFoundOrDenied(open, caller, id)
}

/** Throws BUCKET_NOT_FOUND, BUCKET_NOT_EMPTY and OBJECT_DENIED. */
export async function deleteBucket(open: OpenDatabase, caller: ObjectCaller, id: string): Promise<void> {
  try {
    const deleted = await runAsCaller(open, caller, (run) => store.deleteBucket(run, id))
    if (deleted === 0) await failNotFoundOrDenied(open, caller, id)
  } catch (error) {
    if (isForeignKeyViolation(error)) fail('BUCKET_NOT_EMPTY', { bucket: id })
    throw error
  }
}

const failNotFoundOrDenied = async (open: OpenDatabase, caller: ObjectCaller, id: string): Promise<never> => {
  await requireBucket(open, caller, id)
  return fail('OBJECT_DENIED', {})
}

const emptiedAtOnce = 1_000

/** Deletes those objects of a bucket that the caller may delete. Throws BUCKET_NOT_FOUND. */
export async function emptyBucket(
  app: BucketsApp,
  cloud: CloudKey,
  open: OpenDatabase,
  { caller, id, gone }: { caller: ObjectCaller; id: string; gone: AbortSignal },
): Promise<void> {
  await requireBucket(open, caller, id)
  for (let deleted = emptiedAtOnce; deleted === emptiedAtOnce && !gone.aborted; ) {
    const versions = await runAsCaller(open, caller, async (run) => {
      const rows = await deleteSome(run, id, emptiedAtOnce)
      const found = rows.flatMap(({ version }) => version ?? [])
      deleted = rows.length
      await markUnresolved(app, cloud, found)
      return found
    })
    // A row that the developer has copied by SQL may name the same bytes.
    await resolveBlobs(app, cloud, open, versions)
  }
}
