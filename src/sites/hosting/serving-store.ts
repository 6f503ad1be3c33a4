/** What visitors need of the database: files of versions that have been replaced. */
import type { Db } from '#platform/db'
import type { FileRow } from './content-store.ts'
import type { SiteKey } from './store.ts'

export type StaleRow = FileRow & { replaced_at: Date }

/** The files of versions that were live, and were replaced after `since`; where paths are equal, the file of the version that was replaced last. */
export const staleFilesOf = (
  db: Db,
  { accountId, siteId }: SiteKey,
  live: number,
  since: Date,
): Promise<StaleRow[]> =>
  db.query(
    {
      name: 'sites.stale_files',
      text: `select distinct on (f.path) f.path, f.media_type, encode(f.sha256, 'hex') as sha256, b.bytes, b.storage_key,
          b.brotli_key, b.brotli_bytes, b.gzip_key, b.gzip_bytes, v.replaced_at
        from sites.versions v
        join sites.files f on f.account_id = v.account_id and f.site_id = v.site_id and f.version = v.version
        join sites.blobs b on b.account_id = f.account_id and b.sha256 = f.sha256
        where v.account_id = $1 and v.site_id = $2 and v.version <> $3 and v.status = 'ready' and v.replaced_at > $4
        order by f.path, v.replaced_at desc, v.version desc`,
    },
    [accountId, siteId, live, since],
  )
