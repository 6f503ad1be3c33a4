import { createHash, randomBytes } from 'node:crypto'
import {
  access,
  chmod,
  chown,
  constants,
  link,
  mkdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import type { DbLog } from '#platform/db'
import { refuseStart } from '#platform/errors'
import { type FolderLocation, folderLocation, isSameFolder, replaceFile } from '#platform/folders'
import { sharedFolder } from './binaries.ts'
import { phrases } from './phrases.ts'
import { readPostmaster, runsCluster } from './postmaster.ts'
import { canEnter, isRoot, type ServerUser, systemUser } from './server-user.ts'

/** The place of a cluster, and the user that runs it. */
export interface ClusterLocation {
  dataDir: string
  /** PostgreSQL's own data folder, which may not exist yet. */
  cluster: string
  logFile: string
  /** The user that runs PostgreSQL; undefined if it is the current user. */
  user: ServerUser | undefined
  /** True once the cluster was created completely: from then on its absence is an error, never a reason to create a new one. */
  made: boolean
}

/** Written into the data folder if the cluster had to be stored elsewhere. */
interface LocationRecord {
  cluster: string
  made: boolean
  /** The data folder to which the cluster belongs; absent in records of earlier releases, and in records that an operator wrote. */
  folder?: FolderLocation
}

/** Whether the folder has or had a database of Kherad; creates nothing. */
export async function hasCluster(folder: string): Promise<boolean> {
  const dataDir = path.resolve(folder)
  const isThere = (file: string) =>
    stat(file).then(
      () => true,
      // An unreadable folder may contain a database, which the start will report.
      (error: NodeJS.ErrnoException) => error.code === 'EACCES',
    )
  return (await isThere(path.join(dataDir, 'postgres', 'PG_VERSION'))) || isThere(locationFile(dataDir))
}

/** The place where the database of a data folder lies or would lie; creates nothing. */
export async function clusterOf(folder: string): Promise<string> {
  const dataDir = path.resolve(folder)
  const here = await realpath(dataDir).catch(() => dataDir)
  return (await readLocation(here))?.cluster ?? path.join(here, 'postgres')
}

/** Prepares the data folder and decides where the cluster is stored. */
export async function locateCluster(folder: string, log: DbLog): Promise<ClusterLocation> {
  const dataDir = await openDataDir(path.resolve(folder))
  const logFile = path.join(dataDir, 'postgres.log')
  const location = await readLocation(dataDir)
  if (location) {
    const { cluster, made } = await checkLocation(dataDir, location)
    return { dataDir, cluster, logFile, user: await userOf(cluster), made }
  }
  const cluster = path.join(dataDir, 'postgres')
  const user = await userOf(cluster)
  const here = { dataDir, cluster, logFile, user, made: false }
  if (user === undefined || (await canEnter(user, dataDir))) return here
  if (await stat(cluster).catch(() => undefined)) refuseStart(phrases.clusterOutOfReach(cluster))
  const elsewhere = await recordSharedLocation(dataDir)
  log.info(
    { cluster: elsewhere.cluster },
    'the user of PostgreSQL cannot enter the data folder, so the database lies elsewhere',
  )
  return { ...here, ...elsewhere }
}

/** Records that the cluster was created completely. */
export async function recordMade(location: ClusterLocation): Promise<void> {
  if (location.made || path.dirname(location.cluster) === location.dataDir) return
  const folder = await folderLocation(location.dataDir)
  const record: LocationRecord = { cluster: location.cluster, made: true, folder }
  await replaceFile(locationFile(location.dataDir), JSON.stringify(record))
}

/** Creates the data folder if it is missing; returns its real path. Throws `StartRefused` if the folder cannot be written. */
export async function openDataDir(folder: string): Promise<string> {
  try {
    // If this process is root, the user of PostgreSQL must be able to traverse the folder; it still cannot list it.
    await mkdir(folder, { recursive: true, mode: isRoot() ? 0o711 : 0o700 })
    await access(folder, constants.W_OK | constants.X_OK)
    return await realpath(folder)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    refuseStart(
      reason === 'ENOSPC' ? phrases.diskFull(folder) : phrases.dataNotWritable(folder, reason),
      error,
    )
  }
}

/**
 * The user that runs the cluster. If this process is root, an existing cluster keeps its owner, whoever that is; a new one belongs to the system
 * user.
 */
async function userOf(cluster: string): Promise<ServerUser | undefined> {
  const owner = await stat(cluster).catch(() => undefined)
  if (isRoot()) return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : systemUser()
  if (owner && owner.uid !== process.getuid?.()) refuseStart(phrases.clusterOfOther(cluster, owner.uid))
  return undefined
}

const locationFile = (dataDir: string) => path.join(dataDir, 'postgres.location')

async function readLocation(dataDir: string): Promise<LocationRecord | undefined> {
  const text = await readFile(locationFile(dataDir), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as LocationRecord)
}

async function checkLocation(dataDir: string, location: LocationRecord): Promise<LocationRecord> {
  const { cluster, made } = location
  const there = await stat(path.join(cluster, 'PG_VERSION')).catch(
    (error: NodeJS.ErrnoException) => error.code,
  )
  if (there === 'EACCES') refuseStart(phrases.clusterOfOther(cluster, 0))
  if (made && there === 'ENOENT') refuseStart(phrases.clusterGone(cluster, locationFile(dataDir)))
  const here = await folderLocation(dataDir)
  const owner = await ownerOf(location, here)
  if (owner !== undefined) refuseStart(phrases.clusterOfOriginal(owner, cluster, locationFile(dataDir)))
  if (location.folder?.path === here.path) return location
  const claimed = { ...location, folder: here }
  await replaceFile(locationFile(dataDir), JSON.stringify(claimed))
  return claimed
}

/**
 * The data folder to which the cluster belongs, if that is another one: then only the location file was copied, and the database is that of the
 * original. A folder that was moved is recognised by its inode, or because its old path is gone.
 */
async function ownerOf(
  { cluster, folder }: LocationRecord,
  here: FolderLocation,
): Promise<string | undefined> {
  const postmaster = await readPostmaster(cluster)
  const isServed = postmaster !== undefined && (await runsCluster(postmaster.pid, cluster))
  if (!folder) {
    const isOurs = path.basename(cluster).startsWith(`${nameOf(here.path)}-`)
    // An earlier release made the cluster for a folder of another path, which is unknown.
    return !isOurs && madeName.test(path.basename(cluster)) ? '?' : undefined
  }
  const isSame = folder.device === here.device && folder.inode === here.inode
  if (folder.path === here.path || isSame || (await isSameFolder(folder.path, here))) return undefined
  if ((await readLocation(folder.path))?.cluster === cluster || isServed) return folder.path
  return undefined
}

/** Assigns the cluster to this folder, for `kherad adopt`. */
export async function adoptLocation(dataDir: string): Promise<void> {
  const location = await readLocation(dataDir)
  if (!location) return
  const claimed: LocationRecord = { ...location, folder: await folderLocation(dataDir) }
  await replaceFile(locationFile(dataDir), JSON.stringify(claimed))
}

/**
 * The first part of the name of a data folder's cluster. The random part after it distinguishes a folder that was deleted and created again from its
 * predecessor.
 */
const nameOf = (dataDir: string): string => createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
const madeName = /^[0-9a-f]{16}-[0-9a-f]{8}$/

/** Chooses a folder in the shared folder; of two concurrent processes, the first to record it wins. */
async function recordSharedLocation(dataDir: string): Promise<LocationRecord> {
  const clusters = path.join(sharedFolder, 'clusters')
  await mkdir(clusters, { recursive: true, mode: 0o711 })
  for (const folder of [sharedFolder, clusters]) await chmod(folder, 0o755)
  const name = `${nameOf(dataDir)}-${randomBytes(4).toString('hex')}`
  const folder = await folderLocation(dataDir)
  const mine: LocationRecord = { cluster: path.join(clusters, name), made: false, folder }
  const draft = `${locationFile(dataDir)}.${process.pid}`
  await writeFile(draft, JSON.stringify(mine))
  await link(draft, locationFile(dataDir)).catch(() => undefined)
  await rm(draft)
  return (await readLocation(dataDir)) ?? mine
}

/** Gives one folder to the user of PostgreSQL. */
export async function changeOwner(user: ServerUser | undefined, folder: string): Promise<void> {
  if (user) await chown(folder, user.uid, user.gid)
}
