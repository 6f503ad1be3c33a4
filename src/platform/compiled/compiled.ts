/**
 * The V8 compile cache, kept in the data folder for the next start. This file imports none of our modules, because their loading should profit from
 * the cache.
 */
import { existsSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'

/**
 * Stores compiled code below the data folder and not among temporary files, since the code is executed unchecked: no other user may write to the
 * folder. Without a writable data folder the start simply takes longer. Several processes may share the folder; Node writes to it when they end.
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

/** On systems with users: whether nobody else may write to the folder, whoever made it and however. */
const isOwn = ({ uid, mode }: Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
