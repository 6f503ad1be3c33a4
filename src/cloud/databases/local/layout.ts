/** Where the database of a cloud lies on this machine. */
import { chown, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { reserveInfo } from '#platform/jail'
import type { DatabaseSize } from '../size.ts'

export interface LocalDatabase {
  /** The ref of its cloud. */
  ref: string
  /** The user of this machine that runs this database and nothing else, where this service is root. */
  user: number | undefined
  /** `standardSize` where absent. */
  size?: DatabaseSize | undefined
}

export interface Layout {
  folder: string
  data: string
  socket: string
  logFile: string
  infoFile: string
  lockFile: string
  passwd: string
  /** Says until when the time awake has been recorded. */
  countFile: string
  /** A folder with nothing in it. */
  empty: string
  /** Exists while a backup takes the place of the data: nobody wakes the database meanwhile. */
  restoringFile: string
  /** The previous data, until the restore is over. */
  dataBefore: string
  /** The id of the restore that was completed last. */
  restoredFile: string
  /** Locked by the process that restores. */
  restoreLockFile: string
}

const socketName = '.s.PGSQL.5432'
/** The longest path of a socket on Linux in bytes, without its final NUL. */
const maxSocketPathLength = 107

export function layoutOf(root: string, { ref }: Pick<LocalDatabase, 'ref'>): Layout {
  const folder = path.join(root, ref)
  const within = (name: string): string => path.join(folder, name)
  return {
    folder,
    data: within('data'),
    socket: within('s'),
    logFile: within('log'),
    infoFile: within('info.json'),
    lockFile: within('lock'),
    passwd: within('passwd'),
    countFile: within('counted'),
    empty: within('empty'),
    restoringFile: within('restoring'),
    dataBefore: within('data-before'),
    restoredFile: within('restored'),
    restoreLockFile: within('restore-lock'),
  }
}

/** Whether the database's socket can be connected to by its path. */
export const isShortEnough = ({ socket }: Layout): boolean =>
  Buffer.byteLength(path.join(socket, socketName)) <= maxSocketPathLength

/** Makes the folders, each for its user; may run any number of times. */
export async function makeFolders(layout: Layout, user: number | undefined): Promise<void> {
  await mkdir(layout.folder, { recursive: true, mode: 0o700 })
  // PostgreSQL looks up the name of its user.
  const id = user ?? process.getuid?.() ?? 0
  await writeFile(layout.passwd, `postgres:x:${id}:${id}::/:\n`, { mode: 0o644 })
  await reserveInfo(layout.infoFile)
  await mkdir(layout.empty, { recursive: true, mode: 0o755 })
  for (const folder of [layout.data, layout.socket]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (user !== undefined) await chown(folder, user, user)
  }
}

export const removeFolders = (layout: Layout): Promise<void> =>
  rm(layout.folder, { recursive: true, force: true })
