import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type Page, type PageOptions, readPage } from '#platform/lists'

declare module '#platform/db' {
  interface Tables {
    'files.files': FileRow
  }
}

export interface FileRow {
  account_id: string
  file_id: string
  project_id: string
  key_id: string | null
  name: string | null
  media_type: string
  bytes: bigint
  sha256: string
  source: string
  /** The paid call that made the file; null: the file was uploaded. */
  receipt_id: string | null
  /** Null: the file is kept until it is deleted. */
  expires_at: Date | null
  /** False: the file is kept only for a repeat of its request, and is in no list. */
  listed: boolean
  /** What its sender said that it is for; null: nothing was said. */
  purpose: string | null
  /** The data folder in which its bytes wait, because the store failed; null: they are in the store. */
  spooled_on: string | null
  created_at: Date
}

/** The account and the project that own files. */
export interface FileOwner {
  accountId: string
  projectId: string
}

/** Maximum number of files of one project. */
export const maxFiles = 100_000

export const insertFiles = (tx: Tx, files: readonly FileRow[]) =>
  tx.insertInto('files.files').values(files).execute()

/** Counts one more file. Returns false if the quota of the project has no room for it. */
export async function reserveQuota(
  tx: Tx,
  owner: FileOwner,
  bytes: number,
  quotaBytes: number,
): Promise<boolean> {
  if (bytes > quotaBytes) return false
  const { rows } = await sql`insert into files.usage as u (account_id, project_id, files, bytes)
    values (${owner.accountId}, ${owner.projectId}, 1, ${bytes})
    on conflict (account_id, project_id) do update set files = u.files + 1, bytes = u.bytes + excluded.bytes
      where u.bytes + excluded.bytes <= ${quotaBytes} and u.files < ${maxFiles}
    returning 1`.execute(tx)
  return rows.length === 1
}

/** Whether the quota has room now; `reserveQuota` checks again in the transaction. */
export async function hasQuota(
  db: Db,
  owner: FileOwner,
  bytes: number,
  quotaBytes: number,
): Promise<boolean> {
  const [used] = await db.query<{ files: bigint; bytes: bigint }>(
    {
      name: 'files.used',
      text: 'select files, bytes from files.usage where account_id = $1 and project_id = $2',
    },
    [owner.accountId, owner.projectId],
  )
  const free = BigInt(quotaBytes) - (used?.bytes ?? 0n)
  return BigInt(bytes) <= free && (used?.files ?? 0n) < BigInt(maxFiles)
}

/** A file of a project. An expired file is treated as deleted, whether or not its row still exists. */
export const findFile = (db: Db, owner: FileOwner, fileId: string, now: Date): Promise<FileRow | undefined> =>
  db.kysely
    .selectFrom('files.files')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('file_id', '=', fileId)
    .where('project_id', '=', owner.projectId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()

export type SampleFile = Pick<FileRow, 'account_id' | 'file_id' | 'sha256'>

/**
 * Some files of all accounts whose bytes must be in the store: the three smallest of the ten newest and of the ten oldest. With `fileId` only that
 * file, if its bytes must still be there.
 */
export async function sampleFiles(db: Db, fileId?: string): Promise<SampleFile[]> {
  const [{ here } = { here: false }] = await db.query<{ here: boolean }>(
    { text: `select to_regclass('files.files') is not null as here` },
    [],
  )
  if (!here) return []
  const some = (order: 'asc' | 'desc'): string =>
    `select * from (select account_id, file_id, sha256, bytes from files.files
      where spooled_on is null and (expires_at is null or expires_at > now()) and ($1::uuid is null or file_id = $1)
      order by file_id ${order} limit 10) as edge order by bytes limit 3`
  return db.query<SampleFile>(
    {
      text: `select distinct account_id, file_id, sha256 from ((${some('desc')}) union all (${some('asc')})) as edges`,
    },
    [fileId ?? null],
  )
}

/** A file by its account and id without its project, for a link to the file. */
export const findLinked = (
  db: Db,
  { accountId, fileId }: { accountId: string; fileId: string },
  now: Date,
): Promise<FileRow | undefined> =>
  db.kysely
    .selectFrom('files.files')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('file_id', '=', fileId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()

export interface FileListOptions extends PageOptions {
  /** Selects the files whose sender said this. */
  purpose?: string | undefined
}

/** The files of a project, newest first unless `order` says otherwise, without those that are kept for a repeat only. */
export function listFiles(
  db: Db,
  owner: FileOwner,
  { purpose, ...options }: FileListOptions,
  now: Date,
): Promise<Page<FileRow>> {
  const all = db.kysely
    .selectFrom('files.files')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('project_id', '=', owner.projectId)
    .where('listed', '=', true)
    .$if(purpose !== undefined, (rows) => rows.where('purpose', '=', purpose!))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
  return readPage(all, 'file_id', options)
}

/** The listed files that were made by keys of the account, in the order of their ids. */
export const filesOfKeys = (
  db: Db,
  { accountId, keyIds }: { accountId: string; keyIds: readonly string[] },
  { after, limit, now }: { after: string | null; limit: number; now: Date },
): Promise<FileRow[]> =>
  db.kysely
    .selectFrom('files.files')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('key_id', 'in', [...keyIds])
    .where('listed', '=', true)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .$if(after !== null, (rows) => rows.where('file_id', '>', after!))
    .orderBy('file_id')
    .limit(limit)
    .execute()

/** Deletes the row and frees its quota. Returns false if there is no such file. */
export async function deleteRow(tx: Tx, owner: FileOwner, fileId: string): Promise<boolean> {
  const { rows } = await sql`with gone as (
      delete from files.files where account_id = ${owner.accountId} and file_id = ${fileId}
        and project_id = ${owner.projectId}
      returning bytes, case when receipt_id is null then 1 else 0 end as uploads
    )
    update files.usage u set files = u.files - gone.uploads, bytes = u.bytes - gone.uploads * gone.bytes,
      creations = u.creations - 1 + gone.uploads, creation_bytes = u.creation_bytes - (1 - gone.uploads) * gone.bytes
    from gone where u.account_id = ${owner.accountId} and u.project_id = ${owner.projectId} returning 1`.execute(
    tx,
  )
  return rows.length === 1
}
