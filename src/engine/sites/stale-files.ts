import type { Db } from '#platform/db'
import { isHashed } from './hashed.ts'
import type { SiteFile } from './manifest.ts'
import { staleFilesOf, type VisitedSite } from './serving-store.ts'

/** How long hashed assets of a version are served after another took its place: pages that are open still load them. */
export const staleMs = 7 * 24 * 60 * 60 * 1000

export interface StaleFile {
  file: SiteFile
  /** Unix milliseconds from which it is missing. */
  untilMs: number
}

/** Hashed files of versions that were live until recently, by path. Whether the live version has the path is not looked at. */
export async function readStaleFiles(
  db: Db,
  site: VisitedSite,
  live: number,
  nowMs: number,
): Promise<Map<string, StaleFile>> {
  const files = new Map<string, StaleFile>()
  for (const row of await staleFilesOf(db, site, live, new Date(nowMs - staleMs))) {
    if (!isHashed(row.path)) continue
    const file: SiteFile = {
      path: row.path,
      mediaType: row.media_type,
      sha256: row.sha256,
      bytes: Number(row.bytes),
      storageKey: row.storage_key,
      ...(row.brotli_key !== null && {
        brotli: { storageKey: row.brotli_key, bytes: Number(row.brotli_bytes) },
      }),
      ...(row.gzip_key !== null && { gzip: { storageKey: row.gzip_key, bytes: Number(row.gzip_bytes) } }),
    }
    files.set(row.path, { file, untilMs: row.replaced_at.getTime() + staleMs })
  }
  return files
}
