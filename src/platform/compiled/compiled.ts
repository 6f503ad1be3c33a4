/** What V8 compiled for one start, kept for the next. Imports nothing of ours: what it is to speed up comes after it. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'

/**
 * Keeps the compiled code of modules below the data folder and not among temporary files, since it is run unchecked: no other user of the
 * machine may write it. Without a data folder yet, or where it cannot be written, the start takes its time. Several processes may share
 * it; Node writes it when they end.
 */
export function keepCompiled(dataDir: string): void {
  if (!existsSync(dataDir)) return
  const folder = path.resolve(dataDir, 'compile-cache')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (statSync(folder).uid === (process.getuid?.() ?? 0)) enableCompileCache(folder)
  } catch {
    // A file in its place, or a folder that may not be written.
  }
}
