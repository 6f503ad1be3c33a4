/** Where the database of a cloud lies on this machine. */
import { chown, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { reserveInfo } from '#platform/jail'
import type { DatabaseSize } from '../size.ts'

export interface LocalDatabase {
  /** Of its cloud. */
  ref: string
  /** The user of this machine that runs it and nothing else, where this server is root. */
  user: number | undefined
  /** The standard one where absent. */
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
  /** Until when the time in which it was awake is written down. */
  countFile: string
  /** A folder with nothing in it. */
  empty: string
  /** Is there while a backup takes the place of the data: nobody wakes the database meanwhile. */
  restoringFile: string
  /** The data before that, until it is over. */
  dataBefore: string
  /** The id of the restore that was completed last. */
  restoredFile: string
  /** Locked by whoever restores. */
  restoreLockFile: string
}

const socketName = '.s.PGSQL.5432'
/** The kernel's limit of a socket's path on Linux, its last NUL included. */
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

/** Whether its socket can be connected to by its path. */
export const isShortEnough = ({ socket }: Layout): boolean =>
  Buffer.byteLength(path.join(socket, socketName)) <= maxSocketPathLength

/** The folders, each for whom it is; may run any number of times. */
export async function makeFolders(layout: Layout, user: number | undefined): Promise<void> {
  await mkdir(layout.folder, { recursive: true, mode: 0o700 })
  // PostgreSQL asks for the name of its user.
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
