/** Moves and deletes objects, as the policies of storage.objects allow the caller. */
import { fail } from '#platform/errors'
import { runAsCaller } from './as-caller.ts'
import { markUnresolved, resolveBlobs } from './blobs.ts'
import { requireFits } from './bucket-limits.ts'
import { readBucket } from './manage-buckets.ts'
import * as store from './object-store.ts'
import { type ObjectContext, withObjectRefusals } from './objects.ts'
import { sizeOf, typeOf } from './read-objects.ts'

/** Deletes the objects that the caller may delete. */
export async function removeObjects(
  { app, cloud, open, caller }: ObjectContext,
  bucket: string,
  names: readonly string[],
): Promise<store.ObjectRow[]> {
  const rows = await runAsCaller(open, caller, async (run) => {
    const gone = await store.deleteObjects(run, bucket, names)
    await markUnresolved(app, cloud, versionsOf(gone))
    return gone
  })
  // Another row may name the same bytes where the developer has copied a row by SQL.
  await resolveBlobs(app, cloud, open, versionsOf(rows))
  return rows
}

const versionsOf = (rows: readonly { version: string | null }[]): string[] =>
  rows.flatMap(({ version }) => version ?? [])

/**
 * Moves an object, whose bytes stay in place. Throws OBJECT_NOT_FOUND, OBJECT_EXISTS, OBJECT_DENIED, OBJECT_TOO_LARGE, OBJECT_TYPE_REFUSED and
 * BUCKET_NOT_FOUND.
 */
export async function moveObject(
  { app, open, caller }: ObjectContext,
  from: store.ObjectPlace,
  to: store.ObjectPlace,
): Promise<store.ObjectRow> {
  const target = await readBucket(open, to.bucket)
  return withObjectRefusals(
    to.bucket,
    runAsCaller(open, caller, async (run) => {
      const row = (await store.findObject(run, from)) ?? fail('OBJECT_NOT_FOUND', {})
      if (to.bucket !== from.bucket) requireFits(target, { bytes: sizeOf(row), contentType: typeOf(row) })
      const moved = await store.renameObject(run, row.id, to, new Date(app.clock.nowMs()))
      return moved === 1 ? row : fail('OBJECT_DENIED', {})
    }),
  )
}
