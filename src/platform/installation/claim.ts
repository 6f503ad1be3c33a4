/** Claims a data folder at a start: checks its identity before PostgreSQL runs and before anything else in it changes. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { refuseStart } from '#platform/errors'
import { type FolderLocation, folderLocation, isSameFolder } from '#platform/folders'
import type { Log } from '#platform/log'
import { clusterOf, formerCluster, isSameCluster, isServedElsewhere, openDataDir } from '#platform/postgres'
import { judgeRelocation, type RelocationVerdict } from './judge.ts'
import { phrases } from './phrases.ts'
import { type CopyOrigin, createRecord, type FolderRecord, readRecord, writeRecord } from './record.ts'
import { refuseNewer } from './release.ts'

export interface ClaimOptions {
  dataDir: string
  /** True if DATABASE_URL names the database: then several folders may use it, and the folder's identity covers only this machine's part. */
  hasOwnServer: boolean
  /** `--copy`: a data folder from another machine is treated as a copy. */
  asCopy: boolean
  log: Log
}

export interface FolderClaim {
  dataDir: string
  record: FolderRecord
}

/**
 * Reads and renews the record of the folder; if two processes start concurrently on an empty folder, the first to write wins. Throws `StartRefused`
 * for a folder of a newer release, and for one that comes from another machine.
 */
export async function claimFolder(options: ClaimOptions): Promise<FolderClaim> {
  const dataDir = await openDataDir(path.resolve(options.dataDir))
  const known = await readRecord(dataDir)
  refuseNewer(dataDir, known)
  const here = await folderLocation(dataDir)
  if (!known)
    return { dataDir, record: await createRecord(dataDir, await firstRecord(dataDir, here, options)) }
  const record = await continued(dataDir, known, here, options)
  await writeRecord(dataDir, record)
  return { dataDir, record }
}

/** The record for an empty folder, or for a folder of an earlier release: that had no identity, but PostgreSQL's files note where it was started. */
async function firstRecord(
  dataDir: string,
  here: FolderLocation,
  { log }: ClaimOptions,
): Promise<FolderRecord> {
  const record = { id: randomUUID(), place: here }
  const cluster = await clusterOf(dataDir)
  const former = await formerCluster(cluster)
  if (former === undefined || former === cluster || path.dirname(cluster) !== here.path) return record
  const isThere = await isSameCluster(former, cluster)
  // The former path is another name of the same folder, by a link or a mount.
  if (!isThere || (await isSameFolder(former, await folderLocation(cluster)))) return record
  return copied(record, { id: null, place: path.dirname(former) }, log)
}

async function continued(
  dataDir: string,
  known: FolderRecord,
  here: FolderLocation,
  { hasOwnServer, asCopy, log }: ClaimOptions,
): Promise<FolderRecord> {
  const { copy, ...record } = { ...known, place: here }
  if (known.adopt) return { ...record, id: copy?.id ?? known.id }
  const verdict = await judgeRelocation(known.place, here, originalChecks(known.id, await clusterOf(dataDir)))
  const original: CopyOrigin = { id: known.id, place: known.place.path }
  if (verdict === 'copy') return copied({ ...record, id: randomUUID() }, original, log)
  if (verdict === 'other machine') {
    if (!asCopy && !hasOwnServer) refuseStart(phrases.otherMachine(known.place.path))
    return copied({ ...record, id: randomUUID() }, original, log)
  }
  logMove(verdict, known.place, here, log)
  return { ...record, ...(copy && { copy }) }
}

function copied(record: FolderRecord, copy: CopyOrigin, log: Log): FolderRecord {
  log.warn(
    { original: copy.place, folder: record.place.path },
    'the data folder is a copy: it has an identity of its own',
  )
  return { ...record, copy }
}

function logMove(verdict: RelocationVerdict, before: FolderLocation, here: FolderLocation, log: Log): void {
  const isSame = before.path === here.path && before.inode === here.inode
  if (verdict === 'moved' || !isSame)
    log.info({ from: before.path, to: here.path }, 'the data folder has moved, and is the same installation')
}

/** The checks that find an installation somewhere else. */
export const originalChecks = (id: string, cluster: string): Parameters<typeof judgeRelocation>[2] => ({
  holds: async (folder) => (await readRecord(folder))?.id === id,
  isAliveElsewhere: () => isServedElsewhere(id, cluster),
})
