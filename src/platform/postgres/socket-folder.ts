import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ClusterLocation, changeOwner } from './cluster-location.ts'
import { canEnter } from './server-user.ts'

export interface SocketFolder {
  path: string
  /** False if an earlier PostgreSQL used it. */
  fresh: boolean
}

const prefix = 'kherad-pg-'
/** The kernel's limit for a socket's path is 104 bytes on macOS, 108 on Linux; what we add takes 32. */
const longestParent = 70

/**
 * A folder that only the user of PostgreSQL can enter, which protects the socket. The folder of the cluster's previous PostgreSQL is reused
 * if it can be trusted, so that processes that know it find the next server there.
 */
export async function openSocketFolder(
  location: ClusterLocation,
  former: string | undefined,
): Promise<SocketFolder> {
  if (former && path.basename(former).startsWith(prefix) && (await reuseFolder(location, former)))
    return { path: former, fresh: false }
  const folder = await mkdtemp(path.join((await isFit(location, tmpdir())) ? tmpdir() : '/tmp', prefix))
  await changeOwner(location.user, folder)
  return { path: folder, fresh: true }
}

async function isFit({ user }: ClusterLocation, parent: string): Promise<boolean> {
  if (Buffer.byteLength(parent) > longestParent) return false
  return user === undefined || canEnter(user, parent)
}

/** Clears the folder when no PostgreSQL listens there. */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (path.basename(folder).startsWith(prefix)) await rm(folder, { recursive: true, force: true })
}

async function reuseFolder(location: ClusterLocation, folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 })
    await changeOwner(location.user, folder)
    return true
  } catch {
    // It exists. In a world-writable folder it is trusted only if nobody else can have created it.
    const about = await lstat(folder).catch(() => undefined)
    const owner = location.user?.uid ?? process.getuid?.()
    return about?.isDirectory() === true && about.uid === owner && (about.mode & 0o077) === 0
  }
}
