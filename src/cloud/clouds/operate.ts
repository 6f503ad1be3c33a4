/** What the operator does to a cloud. Everything here but `setReadOnly` throws CLOUD_NOT_FOUND where the cloud is gone or being deleted. */
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { CloudsApp } from './app.ts'
import type { CloudKey } from './clouds.ts'
import { announceCloud } from './directory.ts'
import { type PackageRow, packageOf } from './package-store.ts'
import { isOverdue } from './packages.ts'
import type { CloudRow } from './store.ts'
import * as store from './store.ts'

interface OperatorDependencies extends Pick<CloudsApp, 'db' | 'clock'> {
  /** Writes what belongs to the change in its transaction, such as a row of the audit log. */
  alongside?: (tx: Tx, before: CloudRow, after: CloudRow) => Promise<void>
}

/** Suspends a cloud: its app is refused from here on, and its owner can only read or delete the cloud. What is stored stays. */
export const suspendCloud = (
  room: OperatorDependencies,
  cloud: CloudKey,
  reason: string | null,
): Promise<CloudRow> =>
  changeLockedCloud(room, cloud, (tx, now) =>
    store.changeCloud(tx, cloud, { suspended_at: now, suspended_reason: reason, updated_at: now }),
  )

/**
 * Resumes a cloud, which answers again. Changes nothing and returns the package, where that ended so long ago that the cloud would be suspended again
 * at once.
 */
export async function resumeCloud(
  room: OperatorDependencies,
  cloud: CloudKey,
): Promise<{ resumed: CloudRow } | { ended: PackageRow }> {
  let ended: PackageRow | undefined
  const alongside: typeof room.alongside = async (...change) => {
    if (!ended) await room.alongside?.(...change)
  }
  const resumed = await changeLockedCloud({ ...room, alongside }, cloud, async (tx, now) => {
    const used = await packageOf(tx, cloud)
    if (used && isOverdue(used, now)) ended = used
    else await store.changeCloud(tx, cloud, { suspended_at: null, suspended_reason: null, updated_at: now })
  })
  return ended ? { ended } : { resumed }
}

/** Sets limits of this cloud alone; null takes one back, and a limit that is not named stays as it is. */
export const setCloudLimits = (
  room: OperatorDependencies,
  cloud: CloudKey,
  changes: Record<string, number | null>,
): Promise<CloudRow> =>
  changeLockedCloud(room, cloud, (tx, now, { limits }) => {
    const merged = Object.entries({ ...limits, ...changes }).filter(([, value]) => value !== null)
    return store.changeCloud(tx, cloud, {
      limits: Object.fromEntries(merged) as Record<string, number>,
      updated_at: now,
    })
  })

/**
 * Records whether the disk of a cloud's database is full: its app only reads while it is. The watch of the disk may call this as often as it
 * measures: where nothing changes, nothing is written.
 */
export async function setReadOnly(
  { db, clock }: OperatorDependencies,
  cloud: CloudKey,
  isReadOnly: boolean,
): Promise<void> {
  await db.tx(async (tx) => {
    const row = await store.lockCloud(tx, cloud)
    if (!row || row.state === 'deleting' || (row.read_only_since !== null) === isReadOnly) return
    await store.changeCloud(tx, cloud, { read_only_since: isReadOnly ? new Date(clock.nowMs()) : null })
    await announceCloud(tx, cloud, row.ref)
  })
}

async function changeLockedCloud(
  { db, clock, alongside }: OperatorDependencies,
  cloud: CloudKey,
  work: (tx: Tx, now: Date, row: CloudRow) => Promise<unknown>,
): Promise<CloudRow> {
  return db.tx(async (tx) => {
    const row = await store.lockCloud(tx, cloud)
    if (!row || row.state === 'deleting') return fail('CLOUD_NOT_FOUND', {}, { param: 'id' })
    await work(tx, new Date(clock.nowMs()), row)
    const changed = (await store.lockCloud(tx, cloud))!
    await announceCloud(tx, cloud, row.ref, changed.suspended_at === null ? 'changed' : 'stopped')
    await alongside?.(tx, row, changed)
    return changed
  })
}
