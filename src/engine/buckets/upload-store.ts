/** Uploads in parts, and the parts that have come. */
import { sql } from 'kysely'
import type { CloudKey } from '#engine/clouds'
import type { Db, Tx } from '#platform/db'

export interface UploadRow {
  account_id: string
  cloud_id: string
  upload_id: string
  blob_id: string
  role: string
  user_id: string | null
  bucket_id: string
  name: string
  upsert: boolean
  properties: {
    contentType: string
    cacheControl: string
    userMetadata: Record<string, unknown> | null
  }
  bytes: bigint
  /** As it is shown: all of it only when the object is there. */
  offset_bytes: bigint
  parts: number
  /** Somebody makes the object of it. */
  busy_until: Date | null
  expires_at: Date
}

export interface PartRow {
  offset_bytes: bigint
  bytes: bigint
  storage_key: string
}

export const countUploads = async (db: Db, { accountId, cloudId }: CloudKey, now: Date): Promise<number> => {
  const [row] = await db.query<{ n: bigint }>(
    {
      text: `select count(*) as n from buckets.uploads where account_id = $1 and cloud_id = $2
        and offset_bytes < bytes and expires_at > $3`,
    },
    [accountId, cloudId, now],
  )
  return Number(row!.n)
}

export const insertUpload = (db: Db, row: UploadRow): Promise<unknown> =>
  db.query(
    {
      text: `insert into buckets.uploads (account_id, cloud_id, upload_id, blob_id, role, user_id, bucket_id, name, upsert,
        properties, bytes, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    },
    [
      ...[
        row.account_id,
        row.cloud_id,
        row.upload_id,
        row.blob_id,
        row.role,
        row.user_id,
        row.bucket_id,
        row.name,
      ],
      ...[row.upsert, JSON.stringify(row.properties), row.bytes, row.expires_at],
    ],
  )

export async function findUpload(
  db: Db,
  { accountId, cloudId }: CloudKey,
  uploadId: string,
  now: Date,
): Promise<UploadRow | undefined> {
  const [row] = await db.query<UploadRow>(
    {
      text: `select * from buckets.uploads where account_id = $1 and cloud_id = $2 and upload_id = $3
        and expires_at > $4`,
    },
    [accountId, cloudId, uploadId, now],
  )
  return row
}

export async function lockUpload(tx: Tx, upload: UploadRow, now: Date): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`select * from buckets.uploads where account_id = ${upload.account_id}
    and cloud_id = ${upload.cloud_id} and upload_id = ${upload.upload_id} and expires_at > ${now} for update`.execute(
    tx,
  )
  return rows[0]
}

/** Returns the keys of what stood there, of an attempt that was not finished. */
export async function putPart(tx: Tx, upload: UploadRow, part: PartRow): Promise<string[]> {
  const { rows } = await sql<{
    storage_key: string
  }>`delete from buckets.parts where account_id = ${upload.account_id}
    and cloud_id = ${upload.cloud_id} and upload_id = ${upload.upload_id} and offset_bytes >= ${part.offset_bytes}
    returning storage_key`.execute(tx)
  await sql`insert into buckets.parts (account_id, cloud_id, upload_id, offset_bytes, bytes, storage_key)
    values (${upload.account_id}, ${upload.cloud_id}, ${upload.upload_id}, ${part.offset_bytes}, ${part.bytes},
      ${part.storage_key})`.execute(tx)
  return rows.map((row) => row.storage_key)
}

export const setProgress = async (
  tx: Tx,
  upload: UploadRow,
  { offset, parts, busyUntil }: { offset: bigint; parts: number; busyUntil: Date | null },
): Promise<void> =>
  void (await sql`update buckets.uploads set offset_bytes = ${offset}, parts = ${parts}, busy_until = ${busyUntil}
    where account_id = ${upload.account_id} and cloud_id = ${upload.cloud_id}
      and upload_id = ${upload.upload_id}`.execute(tx))

export const setBusy = (db: Db, upload: UploadRow, until: Date | null): Promise<unknown> =>
  db.query(
    {
      text: `update buckets.uploads set busy_until = $4 where account_id = $1 and cloud_id = $2 and upload_id = $3`,
    },
    [upload.account_id, upload.cloud_id, upload.upload_id, until],
  )

export const partsOf = (db: Db, upload: UploadRow): Promise<PartRow[]> =>
  db.query(
    {
      text: `select offset_bytes, bytes, storage_key from buckets.parts
        where account_id = $1 and cloud_id = $2 and upload_id = $3 order by offset_bytes`,
    },
    [upload.account_id, upload.cloud_id, upload.upload_id],
  )

export async function deleteParts(tx: Tx, upload: UploadRow): Promise<string[]> {
  const { rows } = await sql<{
    storage_key: string
  }>`delete from buckets.parts where account_id = ${upload.account_id}
    and cloud_id = ${upload.cloud_id} and upload_id = ${upload.upload_id} returning storage_key`.execute(tx)
  return rows.map((row) => row.storage_key)
}

export const deleteUpload = async (tx: Tx, upload: UploadRow): Promise<void> =>
  void (await sql`delete from buckets.uploads where account_id = ${upload.account_id}
    and cloud_id = ${upload.cloud_id} and upload_id = ${upload.upload_id}`.execute(tx))

export const expiredUploads = (db: Db, now: Date, limit: number): Promise<UploadRow[]> =>
  db.query({ text: 'select * from buckets.uploads where expires_at <= $1 order by expires_at limit $2' }, [
    now,
    limit,
  ])

export const uploadsOf = (db: Db, { accountId, cloudId }: CloudKey, limit: number): Promise<UploadRow[]> =>
  db.query({ text: 'select * from buckets.uploads where account_id = $1 and cloud_id = $2 limit $3' }, [
    accountId,
    cloudId,
    limit,
  ])
