import type { Db } from '#platform/db'
import { filesOf } from './content-store.ts'
import type { Manifest, SiteFile, Variant } from './manifest.ts'
import { findVersion, type VersionKey } from './store.ts'

/** What a version consists of; undefined where it is not there, or not ready. */
export async function readManifest(db: Db, versionKey: VersionKey): Promise<Manifest | undefined> {
  const row = await findVersion(db, versionKey)
  if (row?.status !== 'ready') return undefined
  const files = new Map<string, SiteFile>()
  for (const file of await filesOf(db, versionKey)) {
    const brotli = variant(file.brotli_key, file.brotli_bytes)
    const gzip = variant(file.gzip_key, file.gzip_bytes)
    files.set(file.path, {
      path: file.path,
      mediaType: file.media_type,
      sha256: file.sha256,
      bytes: Number(file.bytes),
      storageKey: file.storage_key,
      ...(brotli && { brotli }),
      ...(gzip && { gzip }),
    })
  }
  const { spa, redirects, headers } = row
  return { ...versionKey, spa, files, redirects, headers }
}

const variant = (storageKey: string | null, bytes: bigint | null): Variant | undefined =>
  storageKey === null ? undefined : { storageKey, bytes: Number(bytes) }
