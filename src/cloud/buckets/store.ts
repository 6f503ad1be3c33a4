/** Blobs: the bytes of objects as the platform counts them. */
import { sql } from 'kysely'
import type { CloudKey } from '#cloud/clouds'
import type { Db, Tx } from '#platform/db'

export interface BlobKey extends CloudKey {
  blobId: string
}

export async function insertBlob(
  tx: Tx,
  { accountId, cloudId, blobId }: BlobKey,
  { bytes, dueAt, now }: { bytes: number; dueAt: Date; now: Date },
): Promise<void> {
  await sql`insert into buckets.blobs (account_id, cloud_id, blob_id, bytes, due_at)
    values (${accountId}, ${cloudId}, ${blobId}, ${bytes}, ${dueAt})`.execute(tx)
  await sql`insert into buckets.checks (account_id, cloud_id, checked_at) values (${accountId}, ${cloudId}, ${now})
    on conflict do nothing`.execute(tx)
}

/** Sets when blobs are resolved; null means that a row names them. Returns which of them exist. */
export const setDue = async (
  db: Db,
  { accountId, cloudId }: CloudKey,
  blobIds: readonly string[],
  dueAt: Date | null,
): Promise<string[]> => {
  const rows = await db.query<{ blob_id: string }>(
    {
      text: `update buckets.blobs set due_at = $4 where account_id = $1 and cloud_id = $2
        and blob_id = any($3::uuid[]) returning blob_id`,
    },
    [accountId, cloudId, blobIds, dueAt],
  )
  return rows.map((row) => row.blob_id)
}

/** Deletes blobs; returns the sizes of those that existed. */
export async function deleteBlobs(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  blobIds: readonly string[],
): Promise<bigint[]> {
  const { rows } = await sql<{ bytes: bigint }>`delete from buckets.blobs
    where account_id = ${accountId} and cloud_id = ${cloudId} and blob_id = any(${blobIds}::uuid[])
    returning bytes`.execute(tx)
  return rows.map((row) => row.bytes)
}

/** Returns due blobs of all clouds, the longest due first. */
export const dueBlobs = (db: Db, now: Date, limit: number): Promise<BlobKey[]> =>
  db.query(
    {
      text: `select account_id as "accountId", cloud_id as "cloudId", blob_id as "blobId" from buckets.blobs
        where due_at <= $1 order by due_at limit $2`,
    },
    [now, limit],
  )

export const postpone = (db: Db, { accountId, cloudId }: CloudKey, blobIds: readonly string[], dueAt: Date) =>
  db.query(
    {
      text: `update buckets.blobs set due_at = $4 where account_id = $1 and cloud_id = $2
        and blob_id = any($3::uuid[]) and due_at is not null`,
    },
    [accountId, cloudId, blobIds, dueAt],
  )

/** Returns blobs of one cloud, ordered by id, that a row named when they were last resolved. */
export const keptAfter = async (
  db: Db,
  { accountId, cloudId }: CloudKey,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> => {
  const rows = await db.query<{ blob_id: string }>(
    {
      text: `select blob_id from buckets.blobs where account_id = $1 and cloud_id = $2 and blob_id > $3
        and due_at is null order by blob_id limit $4`,
    },
    [accountId, cloudId, after, limit],
  )
  return rows.map((row) => row.blob_id)
}

/** Returns blobs of one cloud; `is_kept` says that a row named the blob when it was last resolved. */
export const someBlobs = (
  db: Db,
  { accountId, cloudId }: CloudKey,
  limit: number,
): Promise<{ blob_id: string; is_kept: boolean }[]> =>
  db.query(
    {
      text: `select blob_id, due_at is null as is_kept from buckets.blobs where account_id = $1 and cloud_id = $2
        limit $3`,
    },
    [accountId, cloudId, limit],
  )

/** Whether this blob counts: until it is deleted, its bytes have to be there. */
export async function isKept(db: Db, { accountId, cloudId }: CloudKey, blobId: string): Promise<boolean> {
  const rows = await db.query(
    { text: 'select 1 from buckets.blobs where account_id = $1 and cloud_id = $2 and blob_id = $3' },
    [accountId, cloudId, blobId],
  )
  return rows.length === 1
}

/** Returns clouds whose blobs were last compared before `before`; from now on they count as compared. */
export const takeChecks = (db: Db, before: Date, now: Date, limit: number): Promise<CloudKey[]> =>
  db.query(
    {
      text: `update buckets.checks c set checked_at = $2 from (
          select account_id, cloud_id from buckets.checks where checked_at < $1 order by checked_at limit $3
          for update skip locked
        ) d where c.account_id = d.account_id and c.cloud_id = d.cloud_id
        returning c.account_id as "accountId", c.cloud_id as "cloudId"`,
    },
    [before, now, limit],
  )

/** Takes the check of one cloud; returns false where it was compared since. */
export async function takeCheck(
  db: Db,
  { accountId, cloudId }: CloudKey,
  before: Date,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    {
      text: `update buckets.checks set checked_at = $4 where account_id = $1 and cloud_id = $2 and checked_at < $3
        returning 1`,
    },
    [accountId, cloudId, before, now],
  )
  return rows.length > 0
}

export const writePublicNames = (
  db: Db,
  { accountId, cloudId }: CloudKey,
  names: readonly string[] | null,
  now: Date,
): Promise<unknown> =>
  db.query(
    {
      text: `insert into buckets.public_buckets as p (account_id, cloud_id, names, read_at) values ($1, $2, $3::text[], $4)
        on conflict (account_id, cloud_id) do update set names = excluded.names, read_at = excluded.read_at
        where p.read_at <= excluded.read_at`,
    },
    [accountId, cloudId, names, now],
  )

/** Returns true also where names are not known, or were read before the database was restored. */
export async function readPublicNames(
  db: Db,
  { accountId, cloudId }: CloudKey,
  name: string,
): Promise<boolean> {
  const rows = await db.query<{ is_named: boolean }>(
    {
      text: `select names is null or $3 = any(names) as is_named from buckets.public_buckets p
        where account_id = $1 and cloud_id = $2 and not exists (select from databases.restores r
          where r.account_id = p.account_id and r.cloud_id = p.cloud_id and r.created_at >= p.read_at)`,
    },
    [accountId, cloudId, name],
  )
  return rows[0]?.is_named ?? true
}

export const forgetPublicNames = (db: Db, { accountId, cloudId }: CloudKey): Promise<unknown> =>
  db.query({ text: 'delete from buckets.public_buckets where account_id = $1 and cloud_id = $2' }, [
    accountId,
    cloudId,
  ])
