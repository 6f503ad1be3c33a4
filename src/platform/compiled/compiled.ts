/** The V8 compile cache. Imports none of our modules, since they should profit from it. */
import { existsSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'

/**
 * Stores compiled code below the data folder and not among temporary files, since it is executed unchecked: no other user may write it.
 * Without a writable data folder the start simply takes longer. Several processes may share it; Node writes it when they end.
 */
export function keepCompiled(dataDir: string): void {
  if (!existsSync(dataDir)) return
  const folder = path.resolve(dataDir, 'compile-cache')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (isOwn(statSync(folder))) enableCompileCache(folder)
  } catch {
    // A file exists at the path, or the folder is not writable.
  }
}

/** On systems with users: nobody else may write there, whoever made the folder and however. */
const isOwn = ({ uid, mode }: Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
