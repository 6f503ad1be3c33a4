import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ClusterLocation, changeOwner } from './cluster-location.ts'
import { isOthersSocket, type Postmaster } from './postmaster.ts'
import { canEnter } from './server-user.ts'

export interface SocketFolder {
  path: string
  /** False if an earlier PostgreSQL used the folder. */
  fresh: boolean
}

const prefix = 'kherad-pg-'
/** The longest parent folder, in bytes. The kernel's limit for a socket's path is 104 bytes on macOS, 108 on Linux; 32 bytes are added here. */
const maxParentLength = 70

/**
 * Opens a folder that only the user of PostgreSQL can enter, which protects the socket. The folder of the cluster's previous PostgreSQL is reused if
 * it belongs to this cluster and can be trusted, so that processes that know it find the next server there.
 */
export async function openSocketFolder(
  location: ClusterLocation,
  former: Postmaster | undefined,
): Promise<SocketFolder> {
  if (former && (await wasOurs(location, former)) && (await reuseFolder(location, former.socketFolder)))
    return { path: former.socketFolder, fresh: false }
  const folder = await mkdtemp(path.join((await isFit(location, tmpdir())) ? tmpdir() : '/tmp', prefix))
  await changeOwner(location.user, folder)
  return { path: folder, fresh: true }
}

/** Whether the folder of the former server may be reused. In a copied data folder the former server is that of the original, and so is its folder. */
const wasOurs = async ({ cluster }: ClusterLocation, former: Postmaster): Promise<boolean> =>
  path.basename(former.socketFolder).startsWith(prefix) &&
  former.cluster === cluster &&
  !(await isOthersSocket(former, cluster))

async function isFit({ user }: ClusterLocation, parent: string): Promise<boolean> {
  if (Buffer.byteLength(parent) > maxParentLength) return false
  return user === undefined || canEnter(user, parent)
}

/** Removes the folder of a server of this cluster that has ended, unless another PostgreSQL listens there. */
export async function removeSocketFolder(
  { cluster }: ClusterLocation,
  at: Pick<Postmaster, 'socketFolder' | 'port'>,
): Promise<void> {
  if (!path.basename(at.socketFolder).startsWith(prefix) || (await isOthersSocket(at, cluster))) return
  await rm(at.socketFolder, { recursive: true, force: true })
}

async function reuseFolder(location: ClusterLocation, folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 })
    await changeOwner(location.user, folder)
    return true
  } catch {
    // The folder exists. In a world-writable folder it is trusted only if nobody else can have created it.
    const about = await lstat(folder).catch(() => undefined)
    const owner = location.user?.uid ?? process.getuid?.()
    return about?.isDirectory() === true && about.uid === owner && (about.mode & 0o077) === 0
  }
}
