import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ClusterLocation, changeOwner } from './cluster-location.ts'
import { canEnter } from './server-user.ts'

export interface SocketFolder {
  path: string
  /** False when a former PostgreSQL used it already. */
  fresh: boolean
}

const prefix = 'kherad-pg-'
/** The kernel's limit for a socket's path is 104 bytes on macOS, 108 on Linux; what we add takes 32. */
const longestParent = 70

/**
 * A folder that only the user of PostgreSQL can enter: the key to the database. The one the last PostgreSQL of this
 * cluster used is taken again if it can be trusted, so that processes which still know it find the next one there.
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
    // It is there. In a place where everyone may write, it counts only if nobody else can have made it.
    const about = await lstat(folder).catch(() => undefined)
    const owner = location.user?.uid ?? process.getuid?.()
    return about?.isDirectory() === true && about.uid === owner && (about.mode & 0o077) === 0
  }
}
