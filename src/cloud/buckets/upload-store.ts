/** SQL of uploads in parts, and of the parts that have arrived. */
import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
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
    userMetadata: string | null
  }
  bytes: bigint
  /** The offset that clients see: it reaches `bytes` only when the object exists. */
  offset_bytes: bigint
  parts: number
  /** The lease of the request that works on the upload, until `leased_until` unless renewed. */
  lease_id: string | null
  leased_until: Date | null
  /** Another request waits for the lease. */
  is_wanted: boolean
  expires_at: Date
}

export interface PartRow {
  offset_bytes: bigint
  bytes: bigint
  storage_key: string
}

/** Counts the uploads of one user, by a session or by links; without a user, those of all callers with the same key. */
export async function countUnfinished(
  tx: Tx,
  { account_id: accountId, cloud_id: cloudId, user_id: userId, role }: UploadRow,
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from buckets.uploads
    where account_id = ${accountId} and cloud_id = ${cloudId} and user_id is not distinct from ${userId}::uuid
      and (user_id is not null or role = ${role}) and offset_bytes < bytes and expires_at > ${now}`.execute(
    tx,
  )
  return Number(rows[0]!.n)
}

export const insertUpload = async (tx: Tx, row: UploadRow): Promise<void> =>
  void (await sql`insert into buckets.uploads (account_id, cloud_id, upload_id, blob_id, role, user_id, bucket_id, name,
      upsert, properties, bytes, expires_at)
    values (${row.account_id}, ${row.cloud_id}, ${row.upload_id}, ${row.blob_id}, ${row.role}, ${row.user_id},
      ${row.bucket_id}, ${row.name}, ${row.upsert}, ${JSON.stringify(row.properties)}, ${row.bytes},
      ${row.expires_at})`.execute(tx))

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

/** Takes the lease and returns the upload as it is; undefined where another request has the lease, or the upload is gone. */
export async function takeLease(
  db: Db,
  { account_id: accountId, cloud_id: cloudId, upload_id: uploadId }: UploadRow,
  leaseId: string,
  { now, until }: { now: Date; until: Date },
): Promise<UploadRow | undefined> {
  const [row] = await db.query<UploadRow>(
    {
      text: `update buckets.uploads set lease_id = $4, leased_until = $5, is_wanted = false
        where account_id = $1 and cloud_id = $2 and upload_id = $3 and expires_at > $6
          and (leased_until is null or leased_until <= $6) returning *`,
    },
    [accountId, cloudId, uploadId, leaseId, until, now],
  )
  return row
}

/** Lets the holder of the lease know that another request waits. Returns false where the upload is gone. */
export async function requestLease(
  db: Db,
  { account_id: accountId, cloud_id: cloudId, upload_id: uploadId }: UploadRow,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    {
      text: `update buckets.uploads set is_wanted = true where account_id = $1 and cloud_id = $2 and upload_id = $3
        and expires_at > $4 returning 1`,
    },
    [accountId, cloudId, uploadId, now],
  )
  return rows.length > 0
}

/** Returns whether another request waits; undefined where the lease has lapsed and another request has it, or the upload is gone. */
export async function renewLease(
  db: Db,
  { account_id: accountId, cloud_id: cloudId, upload_id: uploadId }: UploadRow,
  leaseId: string,
  until: Date,
): Promise<boolean | undefined> {
  const [row] = await db.query<{ is_wanted: boolean }>(
    {
      text: `update buckets.uploads set leased_until = $5 where account_id = $1 and cloud_id = $2 and upload_id = $3
        and lease_id = $4 returning is_wanted`,
    },
    [accountId, cloudId, uploadId, leaseId, until],
  )
  return row?.is_wanted
}

export const endLease = (
  db: Db,
  { account_id: accountId, cloud_id: cloudId, upload_id: uploadId }: UploadRow,
  leaseId: string,
): Promise<unknown> =>
  db.query(
    {
      text: `update buckets.uploads set lease_id = null, leased_until = null where account_id = $1 and cloud_id = $2
        and upload_id = $3 and lease_id = $4`,
    },
    [accountId, cloudId, uploadId, leaseId],
  )

/** Locks the upload: nobody adds a part until the transaction ends. */
export async function lockUpload(tx: Tx, upload: UploadRow): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`select * from buckets.uploads where account_id = ${upload.account_id}
    and cloud_id = ${upload.cloud_id} and upload_id = ${upload.upload_id} for update`.execute(tx)
  return rows[0]
}

/** Returns the keys of the parts that this one replaces, which an unfinished attempt has left. */
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
  { offset, parts }: { offset: bigint; parts: number },
): Promise<void> =>
  void (await sql`update buckets.uploads set offset_bytes = ${offset}, parts = ${parts}
    where account_id = ${upload.account_id} and cloud_id = ${upload.cloud_id}
      and upload_id = ${upload.upload_id}`.execute(tx))

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

/** Returns expired uploads, except those that a request works on. */
export const expiredUploads = (db: Db, now: Date, limit: number): Promise<UploadRow[]> =>
  db.query(
    {
      text: `select * from buckets.uploads where expires_at <= $1 and (leased_until is null or leased_until <= $1)
        order by expires_at limit $2`,
    },
    [now, limit],
  )

export const uploadsOf = (db: Db, { accountId, cloudId }: CloudKey, limit: number): Promise<UploadRow[]> =>
  db.query({ text: 'select * from buckets.uploads where account_id = $1 and cloud_id = $2 limit $3' }, [
    accountId,
    cloudId,
    limit,
  ])
