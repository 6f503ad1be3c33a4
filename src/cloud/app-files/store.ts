/**
 * SQL of private files. One row of `app_files.counts` has the number and bytes of all files of a cloud, and changes in the transaction that changes
 * the files; objects of the cloud's buckets count there, too.
 */
import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page, type PageOptions, pageClause } from '#platform/lists'

export interface AppFileRow {
  account_id: string
  cloud_id: string
  file_id: string
  user_id: string
  name: string
  media_type: string
  bytes: bigint
  storage_key: string
  created_at: Date
}

/** The owner of files: one user, or all users of a cloud. */
export interface FileOwner extends CloudKey {
  userId?: string | undefined
}

const owned = ({ accountId, cloudId, userId }: FileOwner) =>
  sql`account_id = ${accountId} and cloud_id = ${cloudId} ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}`

/** Counts more files. Returns false where the limits have no room for them. Other transactions on files of the cloud wait from here on. */
export async function addToFileCounts(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  { files, bytes }: { files: number; bytes: number },
  limits: { files: number; bytes: number },
): Promise<boolean> {
  await sql`insert into app_files.counts (account_id, cloud_id) values (${accountId}, ${cloudId})
    on conflict do nothing`.execute(tx)
  const { rows } = await sql`update app_files.counts set files = files + ${files}, bytes = bytes + ${bytes}
    where account_id = ${accountId} and cloud_id = ${cloudId}
      and files + ${files} <= ${limits.files} and bytes + ${bytes} <= ${limits.bytes}
    returning 1`.execute(tx)
  return rows.length === 1
}

/** Locks the counts of a cloud. Every transaction does so before it deletes files, so that two never deadlock. */
export const lockCounts = async (tx: Tx, { accountId, cloudId }: CloudKey): Promise<void> =>
  void (await sql`select from app_files.counts where account_id = ${accountId} and cloud_id = ${cloudId}
    for update`.execute(tx))

/** Whether there is room now; `addToFileCounts` decides. */
export async function hasRoom(
  db: Db,
  cloud: CloudKey,
  bytes: number,
  limits: { files: number; bytes: number },
): Promise<boolean> {
  const used = await usageOfAppFiles(db, cloud)
  return used.files + 1 <= limits.files && used.bytes + bytes <= limits.bytes
}

export async function usageOfAppFiles(
  db: Db,
  { accountId, cloudId }: CloudKey,
): Promise<{ files: number; bytes: number }> {
  const [row] = await db.query<{ files: bigint; bytes: bigint }>(
    {
      name: 'app_files.usage',
      text: 'select files, bytes from app_files.counts where account_id = $1 and cloud_id = $2',
    },
    [accountId, cloudId],
  )
  return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) }
}

/** Inserts files of one cloud. */
export const insertFiles = async (
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  rows: readonly AppFileRow[],
): Promise<void> =>
  void (await sql`insert into app_files.files
      (account_id, cloud_id, file_id, user_id, name, media_type, bytes, storage_key, created_at)
    select ${accountId}::uuid, ${cloudId}::uuid, f.* from unnest(${rows.map((row) => row.file_id)}::uuid[],
      ${rows.map((row) => row.user_id)}::uuid[], ${rows.map((row) => row.name)}::text[],
      ${rows.map((row) => row.media_type)}::text[], ${rows.map((row) => row.bytes)}::bigint[],
      ${rows.map((row) => row.storage_key)}::text[], ${rows.map((row) => row.created_at)}::timestamptz[]) f`.execute(
    tx,
  ))

export async function findAppFile(
  db: Db,
  { accountId, cloudId, userId }: FileOwner,
  fileId: string,
): Promise<AppFileRow | undefined> {
  const [row] = await db.query<AppFileRow>(
    {
      name: 'app_files.find',
      text: `select * from app_files.files where account_id = $1 and cloud_id = $2 and file_id = $3
        and ($4::uuid is null or user_id = $4)`,
    },
    [accountId, cloudId, fileId, userId ?? null],
  )
  return row
}

/** Returns files, newest first. */
export async function listAppFiles(
  db: Db,
  owner: FileOwner,
  options: PageOptions,
): Promise<Page<AppFileRow>> {
  const { rows } = await sql<AppFileRow>`select * from app_files.files
    where ${owned(owner)} ${pageClause('file_id', options)}`.execute(db.kysely)
  return cutPage(rows, options.limit)
}

/** Deletes up to `limit` files and subtracts them from the counts; returns the keys of their bytes. */
export async function deleteFiles(
  tx: Tx,
  owner: FileOwner & { fileId?: string },
  limit: number,
): Promise<string[]> {
  const one = owner.fileId === undefined ? sql`` : sql`and file_id = ${owner.fileId}`
  await lockCounts(tx, owner)
  const { rows } = await sql<{ storage_key: string }>`with gone as (
      delete from app_files.files where account_id = ${owner.accountId} and cloud_id = ${owner.cloudId} and file_id in (
        select file_id from app_files.files where ${owned(owner)} ${one} limit ${limit})
      returning storage_key, bytes
    ), counted as (
      update app_files.counts set files = files - (select count(*) from gone),
        bytes = bytes - (select coalesce(sum(bytes), 0)::bigint from gone)
      where account_id = ${owner.accountId} and cloud_id = ${owner.cloudId} and exists (select from gone)
    )
    select storage_key from gone`.execute(tx)
  return rows.map(({ storage_key }) => storage_key)
}

export async function hasFiles(tx: Tx, { accountId, cloudId }: CloudKey): Promise<boolean> {
  const { rows } = await sql`select from app_files.files
    where account_id = ${accountId} and cloud_id = ${cloudId} limit 1`.execute(tx)
  return rows.length > 0
}

/** Returns the next files in the order of their ids, for callers that read all. */
export async function filesAfter(
  db: Db,
  { accountId, cloudId }: CloudKey,
  afterId: string,
  limit: number,
): Promise<AppFileRow[]> {
  return db.query<AppFileRow>(
    {
      name: 'app_files.after',
      text: `select * from app_files.files where account_id = $1 and cloud_id = $2 and file_id > $3
        order by file_id limit $4`,
    },
    [accountId, cloudId, afterId, limit],
  )
}
