import type { Db } from '#platform/db'
import { graceMs } from './expire.ts'
import { mayBeHashed } from './hashed.ts'
import type { SiteFile } from './manifest.ts'
import { siteFile } from './read-manifest.ts'
import { staleFilesOf } from './serving-store.ts'
import type { SiteKey } from './store.ts'

export interface StaleFile {
  file: SiteFile
  /** The time in Unix milliseconds from which the file is missing. */
  untilMs: number
}

/** Hashed files of versions that were live until recently, by path, whether or not the live version has the path, too. */
export async function readStaleFiles(
  db: Db,
  site: SiteKey,
  live: number,
  nowMs: number,
): Promise<Map<string, StaleFile>> {
  const files = new Map<string, StaleFile>()
  for (const row of await staleFilesOf(db, site, live, new Date(nowMs - graceMs))) {
    if (!mayBeHashed(row.path)) continue
    files.set(row.path, { file: siteFile(row), untilMs: row.replaced_at.getTime() + graceMs })
  }
  return files
}
