/** Contents by their hashes, and the files of versions, which name them. Hashes are hexadecimal. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { SiteKey } from './store.ts'
import type { VersionKey } from './version-store.ts'

export interface Blob {
  sha256: string
  bytes: number
  storageKey: string
  brotli?: { storageKey: string; bytes: number } | undefined
  gzip?: { storageKey: string; bytes: number } | undefined
}

export interface FileEntry {
  path: string
  mediaType: string
  sha256: string
}

export interface FileRow {
  path: string
  media_type: string
  sha256: string
  bytes: bigint
  storage_key: string
  brotli_key: string | null
  brotli_bytes: bigint | null
  gzip_key: string | null
  gzip_bytes: bigint | null
}

/**
 * The contents among these that the account has. The sweep leaves them alone for an hour from now, but they may be gone by the time that a version
 * names them: `lockBlobs` says so.
 */
export async function knownBlobs(
  db: Db,
  accountId: string,
  hashes: readonly string[],
  now: Date,
): Promise<Set<string>> {
  await db.query(
    {
      name: 'sites.want_blobs',
      text: `update sites.blobs set unused_since = $3
        where account_id = $1 and sha256 in (select decode(h, 'hex') from unnest($2::text[]) h) and unused_since < $3`,
    },
    [accountId, hashes, now],
  )
  const rows = await db.query<{ sha256: string }>(
    {
      name: 'sites.known_blobs',
      text: `select encode(sha256, 'hex') as sha256 from sites.blobs
        where account_id = $1 and sha256 in (select decode(h, 'hex') from unnest($2::text[]) h)`,
    },
    [accountId, hashes],
  )
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Inserts the contents that the account does not have yet, and returns the storage keys of these. */
export async function insertBlobs(tx: Tx, accountId: string, blobs: readonly Blob[]): Promise<Set<string>> {
  if (blobs.length === 0) return new Set()
  const rows = blobs.map((blob) => ({
    sha256: blob.sha256,
    bytes: blob.bytes,
    storage_key: blob.storageKey,
    brotli_key: blob.brotli?.storageKey,
    brotli_bytes: blob.brotli?.bytes,
    gzip_key: blob.gzip?.storageKey,
    gzip_bytes: blob.gzip?.bytes,
  }))
  // The order is that of their hashes, as everywhere: two publications never wait for each other in a circle.
  const { rows: inserted } = await sql<{ storage_key: string }>`insert into sites.blobs
      (account_id, sha256, bytes, storage_key, brotli_key, brotli_bytes, gzip_key, gzip_bytes)
    select ${accountId}, decode(sha256, 'hex'), bytes, storage_key, brotli_key, brotli_bytes, gzip_key, gzip_bytes
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(sha256 text, bytes bigint, storage_key text,
      brotli_key text, brotli_bytes bigint, gzip_key text, gzip_bytes bigint)
    order by decode(sha256, 'hex')
    on conflict do nothing returning storage_key`.execute(tx)
  return new Set(inserted.map(({ storage_key }) => storage_key))
}

/**
 * Locks these contents for a version that will name them in this transaction, so that the sweep cannot delete them before its end, and marks them as
 * used. False where one of them is missing.
 */
export async function lockBlobs(tx: Tx, accountId: string, hashes: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ unused: boolean }>`select unused_since is not null as unused from sites.blobs
    where account_id = ${accountId} and sha256 in (select decode(h, 'hex') from unnest(${hashes}::text[]) h)
    order by sha256 for no key update`.execute(tx)
  if (rows.length < new Set(hashes).size) return false
  if (rows.some(({ unused }) => unused))
    await sql`update sites.blobs set unused_since = null
      where account_id = ${accountId} and sha256 in (select decode(h, 'hex') from unnest(${hashes}::text[]) h)`.execute(
      tx,
    )
  return true
}

/** Inserts the files of a version, whose contents exist. */
export async function insertFiles(
  tx: Tx,
  { accountId, siteId, version }: VersionKey,
  files: readonly FileEntry[],
): Promise<void> {
  if (files.length === 0) return
  await sql`insert into sites.files (account_id, site_id, version, path, media_type, sha256)
    select ${accountId}, ${siteId}, ${version}::int, path, media_type, decode(sha256, 'hex')
    from unnest(${files.map(({ path }) => path)}::text[], ${files.map(({ mediaType }) => mediaType)}::text[],
      ${files.map(({ sha256 }) => sha256)}::text[]) as r(path, media_type, sha256)`.execute(tx)
}

/** The contents that versions of a site name. */
export async function hashesIn(
  tx: Tx,
  { accountId, siteId }: SiteKey,
  versions: readonly number[],
): Promise<string[]> {
  const { rows } = await sql<{
    sha256: string
  }>`select distinct encode(sha256, 'hex') as sha256 from sites.files
    where account_id = ${accountId} and site_id = ${siteId} and version = any(${versions})`.execute(tx)
  return rows.map(({ sha256 }) => sha256)
}

export async function deleteFiles(tx: Tx, { accountId, siteId, version }: VersionKey): Promise<void> {
  await sql`delete from sites.files where account_id = ${accountId} and site_id = ${siteId} and version = ${version}`.execute(
    tx,
  )
}

/** Marks contents as unused, after a version that named them was deleted in this transaction: the sweep finds out whether another one does. */
export async function releaseBlobs(
  tx: Tx,
  accountId: string,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  if (hashes.length === 0) return
  await sql`with mine as (
      select sha256 from sites.blobs
      where account_id = ${accountId} and sha256 in (select decode(h, 'hex') from unnest(${hashes}::text[]) h)
      order by sha256 for no key update
    )
    update sites.blobs b set unused_since = ${now} from mine where b.account_id = ${accountId} and b.sha256 = mine.sha256`.execute(
    tx,
  )
}

/** The lengths of those contents that a kept version of this site has, by hash: a publication may name these in place of sending them. */
export async function keptContents(
  db: Db['kysely'],
  { accountId, siteId }: SiteKey,
  hashes: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{
    sha256: string
    bytes: bigint
  }>`select distinct encode(b.sha256, 'hex') as sha256, b.bytes
    from sites.files f
    join sites.versions v on v.account_id = f.account_id and v.site_id = f.site_id and v.version = f.version
    join sites.blobs b on b.account_id = f.account_id and b.sha256 = f.sha256
    where f.account_id = ${accountId} and f.site_id = ${siteId} and v.status = 'ready'
      and f.sha256 in (select decode(h, 'hex') from unnest(${hashes}::text[]) h)`.execute(db)
  return new Map(rows.map(({ sha256, bytes }) => [sha256, Number(bytes)]))
}

/** The files of a version, in the order of their paths. */
export const filesOf = (db: Db, { accountId, siteId, version }: VersionKey): Promise<FileRow[]> =>
  db.query(
    {
      name: 'sites.files_of',
      text: `select f.path, f.media_type, encode(f.sha256, 'hex') as sha256, b.bytes, b.storage_key,
          b.brotli_key, b.brotli_bytes, b.gzip_key, b.gzip_bytes
        from sites.files f join sites.blobs b on b.account_id = f.account_id and b.sha256 = f.sha256
        where f.account_id = $1 and f.site_id = $2 and f.version = $3 order by f.path collate "C"`,
    },
    [accountId, siteId, version],
  )

export interface DeletedContents {
  /** The storage keys of the deleted contents. */
  keys: string[]
  /** How many contents were looked at. */
  seen: number
}

/**
 * Deletes contents that became unused before this time and that no version names, and marks the others as used again. A content that a publication
 * locks, or has wanted meanwhile, is passed over.
 */
export async function deleteUnused(tx: Tx, before: Date, limit: number): Promise<DeletedContents> {
  const { rows } = await sql<{ keys: (string | null)[] | null; kept: boolean }>`with old as (
      select account_id, sha256 from sites.blobs where unused_since < ${before}
      order by unused_since limit ${limit} for update skip locked
    ), judged as (
      select o.*, exists (select from sites.files f where f.account_id = o.account_id and f.sha256 = o.sha256) as used from old o
    ), kept as (
      update sites.blobs b set unused_since = null from judged j
      where j.used and b.account_id = j.account_id and b.sha256 = j.sha256 returning 1
    ), gone as (
      delete from sites.blobs b using judged j
      where not j.used and b.account_id = j.account_id and b.sha256 = j.sha256
      returning b.storage_key, b.brotli_key, b.gzip_key
    )
    select null as keys, true as kept from kept
    union all select array[storage_key, brotli_key, gzip_key], false from gone`.execute(tx)
  const keys = rows.flatMap(({ keys }) => (keys ?? []).filter((key) => key !== null))
  return { keys, seen: rows.length }
}
