import type { Db } from '#platform/db'
import { type FileRow, filesOf } from './content-store.ts'
import type { Manifest, SiteFile, Variant } from './manifest.ts'
import { findVersion, type VersionKey } from './version-store.ts'

/** What a version consists of; undefined where the version does not exist, or is not ready. */
export async function readManifest(db: Db, versionKey: VersionKey): Promise<Manifest | undefined> {
  const row = await findVersion(db, versionKey)
  if (row?.status !== 'ready' || row.ready_at === null) return undefined
  const files = new Map<string, SiteFile>()
  for (const file of await filesOf(db, versionKey)) files.set(file.path, siteFile(file))
  const { spa, redirects, headers, ready_at: readyAt } = row
  return { ...versionKey, readyAt, spa, files, redirects, headers }
}

/** A file as its row and that of its content say. */
export function siteFile(file: FileRow): SiteFile {
  const brotli = variant(file.brotli_key, file.brotli_bytes)
  const gzip = variant(file.gzip_key, file.gzip_bytes)
  return {
    path: file.path,
    mediaType: file.media_type,
    sha256: file.sha256,
    bytes: Number(file.bytes),
    storageKey: file.storage_key,
    ...(brotli && { brotli }),
    ...(gzip && { gzip }),
  }
}

const variant = (storageKey: string | null, bytes: bigint | null): Variant | undefined =>
  storageKey === null ? undefined : { storageKey, bytes: Number(bytes) }
