/** The contents of clouds, room by room: how much there is of them, and how they are deleted. */
import { deleteFilesOf as deleteFiles, hasFiles, usageOfAppFiles } from '#cloud/app-files'
import { countUsers, deleteUsersOf as deleteUsers, lockUsers, mailsOfDay } from '#cloud/app-users'
import { deleteBackupsOf, endRestoresOf } from '#cloud/backups'
import { deleteObjectsOf, deleteUploadsOf } from '#cloud/buckets'
import { type CloudKey, usageOfDay } from '#cloud/clouds'
import {
  collectionsOf,
  countsOf,
  deleteRowsPortion as deleteCollections,
  type RunStatement,
} from '#cloud/collections'
import { awakeMsOfMonth, hoursOf, lastMeasurement } from '#cloud/databases'
import { functionCounts } from '#cloud/functions'
import type { Tx } from '#platform/db'
import { deletePendingBlobs } from '#platform/storage'
import { countSitesOfCloud, deleteSite, lockSite, sitesOfCloud } from '#sites/hosting'
import type { CloudDeletionApp, CloudRoutesApp } from '../app.ts'

/** Deletes a portion; returns true if there was nothing to delete. Each may run any number of times. */
type DeletionStep = (app: CloudDeletionApp, cloud: CloudKey) => Promise<boolean>

/** The order of deletion. Other contents are small, and are deleted with the record of the cloud. */
export const deletionSteps: readonly DeletionStep[] = [
  deleteOneSite,
  deleteFiles,
  deleteUploadsOf,
  deleteObjectsOf,
  ({ collections }, cloud) => deleteCollections(collections, cloud),
  deleteUsers,
  endRestoresOf,
  deleteDatabase,
  deleteBackupsOf,
]

async function deleteOneSite(app: CloudDeletionApp, { accountId, cloudId }: CloudKey): Promise<boolean> {
  const [siteId] = await sitesOfCloud(app.db, { accountId, cloudId }, 1)
  if (siteId === undefined) return true
  const packs = await app.db.tx(async (tx) => {
    const site = await lockSite(tx, { accountId, siteId })
    return site ? deleteSite(app, tx, site) : []
  })
  await app.sites.refresh({ accountId, siteId })
  await deletePendingBlobs(app, packs).catch((error: unknown) =>
    app.log.warn({ err: error, cloud_id: cloudId }, 'bytes of a site are deleted later'),
  )
  return false
}

async function deleteDatabase({ databases }: CloudDeletionApp, cloud: CloudKey): Promise<boolean> {
  await databases.remove(cloud)
  return true
}

export type CloudUsage = Record<
  | 'collections'
  | 'rows'
  | 'rowBytes'
  | 'users'
  | 'files'
  | 'fileBytes'
  | 'functions'
  | 'secrets'
  | 'calls'
  | 'egressBytes'
  | 'mails'
  | 'sites'
  | 'diskBytes'
  | 'awakeHours',
  number
>

/** Returns a cloud's usage: calls, egress and mails of the day (UTC), hours awake of the month, and the database as it was measured last. */
export async function usageOf(
  { db }: Pick<CloudRoutesApp, 'db'>,
  cloud: CloudKey,
  nowMs: number,
): Promise<CloudUsage> {
  // This reads a few rows by their keys, on the connections of the platform: a busy app must not keep its developer from seeing what it uses.
  const run: RunStatement = (text, values) => db.query({ text }, values)
  const day = new Date(nowMs).toISOString().slice(0, 10)
  const [names, counts, users, files, functions, today, mails, sites, measured, awakeMs] = await Promise.all([
    collectionsOf(run, cloud),
    countsOf(run, cloud),
    countUsers(db.kysely, cloud),
    usageOfAppFiles(db, cloud),
    functionCounts(db.kysely, cloud),
    usageOfDay(db, cloud, day),
    mailsOfDay(db.kysely, cloud, new Date(`${day}T00:00:00Z`)),
    countSitesOfCloud(db, cloud),
    lastMeasurement(db, cloud),
    awakeMsOfMonth(db, cloud, nowMs),
  ])
  return {
    collections: names.length,
    rows: measured?.rows ?? counts.rows,
    rowBytes: counts.bytes,
    users,
    files: files.files,
    fileBytes: files.bytes,
    ...functions,
    calls: Number(today.function_calls),
    egressBytes: Number(today.egress_bytes),
    mails,
    sites,
    diskBytes: measured?.diskBytes ?? 0,
    awakeHours: hoursOf(awakeMs),
  }
}

/** Whether nothing was put into the cloud yet. */
export const isEmpty = ({ collections, users, files, functions }: CloudUsage): boolean =>
  collections + users + files + functions === 0

/**
 * Whether the cloud is empty beside rows. The caller has locked it, and it is ready, so that nobody adds files or functions. Nobody adds users either
 * until the transaction ends.
 */
export const lockEmptyExceptRows = async (tx: Tx, cloud: CloudKey): Promise<boolean> =>
  (await lockUsers(tx, cloud)) === 0 &&
  !(await hasFiles(tx, cloud)) &&
  (await functionCounts(tx, cloud)).functions === 0
