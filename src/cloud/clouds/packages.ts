/** Packages of accounts: each is for one dedicated cloud. What is in them stands in the configuration (docs/decisions/cloud/lifecycle.md). */
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { CloudsApp } from './app.ts'
import type { CloudKey } from './clouds.ts'
import { announceCloud } from './directory.ts'
import { findOffer } from './limits.ts'
import { packageState } from './package-state.ts'
import type { PackageRow } from './package-store.ts'
import * as packages from './package-store.ts'
import { suspensionReasons } from './phrases.ts'
import * as store from './store.ts'

/** How long a cloud goes on after the end of its package: it only reads until then, and is suspended after it. Nothing of the cloud is deleted. */
export const graceMs = 7 * 24 * 60 * 60 * 1000

/** Whether the cloud that uses this package is suspended because the package has ended. */
export const isOverdue = ({ ended_at: endedAt }: Pick<PackageRow, 'ended_at'>, now: Date): boolean =>
  endedAt !== null && endedAt.getTime() < now.getTime() - graceMs

/**
 * A package that is free and paid, locked until the transaction ends: of two creations at once, the second waits and finds another package, or none.
 * Throws PACKAGE_REQUIRED, PACKAGE_UNPAID, PACKAGE_USED_UP, and CLOUD_DELETION_LIMIT where a package is free once a deletion has ended.
 */
export async function takePackage(
  { config, clock }: Pick<CloudsApp, 'config' | 'clock'>,
  tx: Tx,
  accountId: string,
  offer: string | undefined,
): Promise<PackageRow> {
  const rows = (await packages.lockPackages(tx, accountId)).filter(
    (row) => findOffer(config.clouds, row.offer) && row.offer === (offer ?? row.offer),
  )
  const states = rows.map((row) => ({ row, state: packageState(row, clock.nowMs()) }))
  const standing = states.filter(({ state }) => state !== 'ended')
  if (standing.length === 0) fail('PACKAGE_REQUIRED', {}, { param: offer === undefined ? 'plan' : 'package' })
  const paid = standing.filter(({ state }) => state === 'active')
  const free = paid.find(({ row }) => row.cloud_id === null)
  if (free) return free.row
  if (standing.some(({ row }) => row.cloud_id === null)) return fail('PACKAGE_UNPAID', {})
  if (await packages.isAnyDeleting(tx, accountId)) fail('CLOUD_DELETION_LIMIT', {}, { retryAfterMs: 2_000 })
  return fail('PACKAGE_USED_UP', {})
}

interface PackageDependencies extends Pick<CloudsApp, 'db' | 'clock'> {
  /** Writes what belongs to the change in its transaction, such as a row of the audit log; `before` is absent for a new package. */
  alongside?: (tx: Tx, after: PackageRow, before?: PackageRow) => Promise<void>
}

export interface GivenPackage {
  accountId: string
  /** A package that is given twice with the same id exists once. */
  packageId: string | undefined
  offer: string
  paidUntil: Date | null
}

/** Gives an account a package. Undefined where another package has this id. */
export async function givePackage(
  { db, clock, alongside }: PackageDependencies,
  { accountId, packageId, offer, paidUntil }: GivenPackage,
): Promise<PackageRow | undefined> {
  const now = new Date(clock.nowMs())
  const row = {
    ...{ account_id: accountId, package_id: packageId ?? uuidv7(now.getTime()), offer, cloud_id: null },
    ...{ paid_until: paidUntil, ended_at: null, created_at: now, updated_at: now },
  }
  return db.tx(async (tx) => {
    const given = await packages.insertPackage(tx, row)
    if (given?.isNew) await alongside?.(tx, given.row)
    return given?.row
  })
}

/**
 * Sets the offer of a package and until when it is paid; one that was ended is active again, and its cloud with it. Undefined where there is no such
 * package.
 */
export const renewPackage = (
  room: PackageDependencies,
  packageId: string,
  { offer, paidUntil }: { offer: string | undefined; paidUntil: Date | null },
): Promise<PackageRow | undefined> =>
  changeLockedPackage(room, packageId, async (tx, row, now) => {
    const kept = offer ?? row.offer
    await packages.changePackage(tx, row, {
      offer: kept,
      paid_until: paidUntil,
      ended_at: null,
      updated_at: now,
    })
    if (row.cloud_id === null) return
    const key = cloudOf(row)
    const cloud = (await store.lockCloud(tx, key))!
    const isOurs = cloud.suspended_reason === suspensionReasons.packageEnded
    const resumed = isOurs ? { suspended_at: null, suspended_reason: null } : {}
    // A cloud that is still moving to its database has the limits of Starter until the move ends.
    const limited = cloud.plan === 'dedicated' ? { offer: kept } : {}
    await store.changeCloud(tx, key, { ...limited, ...resumed, updated_at: now })
  })

/** Ends a package: no other cloud can use it, and the one that does only reads from here on. Undefined where there is no such package. */
export const endPackage = (room: PackageDependencies, packageId: string): Promise<PackageRow | undefined> =>
  changeLockedPackage(room, packageId, async (tx, row, now) => {
    if (row.ended_at === null) await packages.changePackage(tx, row, { ended_at: now, updated_at: now })
  })

async function changeLockedPackage(
  { db, clock, alongside }: PackageDependencies,
  packageId: string,
  work: (tx: Tx, row: PackageRow, now: Date) => Promise<void>,
): Promise<PackageRow | undefined> {
  for (;;) {
    const changed = await db.tx(async (tx) => {
      const found = await packages.findPackage(tx, packageId)
      // The cloud is locked before the package, as a deletion of the cloud does.
      const cloud = found?.cloud_id ? await store.lockCloud(tx, cloudOf(found)) : undefined
      const row = await packages.lockPackage(tx, packageId)
      if (!row) return undefined
      if (row.cloud_id !== (cloud?.cloud_id ?? null)) return 'used otherwise meanwhile'
      await work(tx, row, new Date(clock.nowMs()))
      if (cloud) await announceCloud(tx, store.keyOf(cloud), cloud.ref)
      const after = (await packages.findPackage(tx, packageId))!
      await alongside?.(tx, after, row)
      return after
    })
    if (changed !== 'used otherwise meanwhile') return changed
  }
}

const cloudOf = (row: PackageRow): CloudKey => ({ accountId: row.account_id, cloudId: row.cloud_id! })

/** Suspends up to `limit` clouds whose package ended longer ago than the grace period. True where there may be more. */
export async function suspendUnpaid({ db, clock }: PackageDependencies, limit: number): Promise<boolean> {
  const now = new Date(clock.nowMs())
  const overdue = await packages.cloudsOfEnded(db, new Date(now.getTime() - graceMs), limit)
  for (const cloud of overdue)
    await db.tx(async (tx) => {
      const row = await store.lockCloud(tx, cloud)
      if (!row || row.state === 'deleting' || row.suspended_at !== null) return
      const suspended = {
        suspended_at: now,
        suspended_reason: suspensionReasons.packageEnded,
        updated_at: now,
      }
      await store.changeCloud(tx, cloud, suspended)
      await announceCloud(tx, cloud, row.ref, 'stopped')
    })
  return overdue.length === limit
}
