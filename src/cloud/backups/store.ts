/** Backups and restores as they are recorded. */
import { sql } from 'kysely'
import type { CloudKey, LimitSource } from '#cloud/clouds'
import type { Db, Tx } from '#platform/db'
import { type Page, type PageOptions, readPage } from '#platform/lists'
import type { BackupProblem } from './phrases.ts'

export interface BackupRow {
  account_id: string
  cloud_id: string
  backup_id: string
  kind: 'nightly' | 'asked'
  state: 'queued' | 'ready' | 'failed'
  error_code: BackupProblem | null
  attempts: number
  storage_key: string | null
  bytes: bigint | null
  sha256: string | null
  database_bytes: bigint | null
  server_version: string | null
  next_transaction: bigint | null
  created_at: Date
  confirmed_at: Date
  finished_at: Date | null
  expires_at: Date
}

export interface RestoreRow {
  account_id: string
  cloud_id: string
  restore_id: string
  from_cloud_id: string
  backup_id: string
  state: 'queued' | 'done' | 'failed'
  error_code: BackupProblem | null
  attempts: number
  created_at: Date
  finished_at: Date | null
}

declare module '#platform/db' {
  interface Tables {
    'databases.backups': BackupRow
    'databases.restores': RestoreRow
  }
}

export interface BackupKey extends CloudKey {
  backupId: string
}

export interface RestoreKey extends CloudKey {
  restoreId: string
}

type BackupReader = Pick<Db, 'kysely'>['kysely'] | Tx

/** The columns that the limits of the cloud come from. */
export const readLimitSource = (tx: Tx, { accountId, cloudId }: CloudKey): Promise<LimitSource> =>
  tx
    .selectFrom('clouds.clouds')
    .select(['offer', 'limits'])
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .executeTakeFirstOrThrow()

const backupsOf = (kysely: BackupReader, { accountId, cloudId }: CloudKey) =>
  kysely
    .selectFrom('databases.backups')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)

export const listBackups = (
  { kysely }: Db,
  cloud: CloudKey,
  options: PageOptions,
): Promise<Page<BackupRow>> => readPage(backupsOf(kysely, cloud), 'backup_id', options)

export const findBackup = (
  kysely: BackupReader,
  { backupId, ...cloud }: BackupKey,
): Promise<BackupRow | undefined> =>
  backupsOf(kysely, cloud).where('backup_id', '=', backupId).executeTakeFirst()

/** Returns a backup that is not deleted until the transaction ends. */
export const shareLockBackup = (tx: Tx, { backupId, ...cloud }: BackupKey): Promise<BackupRow | undefined> =>
  backupsOf(tx, cloud).where('backup_id', '=', backupId).forShare().executeTakeFirst()

/** Returns the last backup that is ready. */
export const lastReady = (kysely: BackupReader, cloud: CloudKey): Promise<BackupRow | undefined> =>
  backupsOf(kysely, cloud)
    .where('state', '=', 'ready')
    .orderBy('created_at', 'desc')
    .orderBy('backup_id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns how many requested backups exist or are being made, and the bytes of all backups. */
export async function usageOf(
  kysely: BackupReader,
  { accountId, cloudId }: CloudKey,
): Promise<{ asked: number; bytes: number }> {
  const { rows } = await sql<{ asked: bigint; bytes: string | null }>`
    select count(*) filter (where kind = 'asked' and state <> 'failed') as asked, sum(bytes)::text as bytes
    from databases.backups where account_id = ${accountId} and cloud_id = ${cloudId}`.execute(kysely)
  return { asked: Number(rows[0]!.asked), bytes: Number(rows[0]!.bytes ?? 0) }
}

/** Returns false where a backup of this cloud is being made already. */
export async function insertBackup(
  tx: Tx,
  { accountId, cloudId, backupId }: BackupKey,
  { kind, now, expiresAt }: { kind: BackupRow['kind']; now: Date; expiresAt: Date },
): Promise<boolean> {
  const { rows } = await sql`insert into databases.backups
      (account_id, cloud_id, backup_id, kind, state, created_at, confirmed_at, expires_at)
    values (${accountId}, ${cloudId}, ${backupId}, ${kind}, 'queued', ${now}, ${now}, ${expiresAt})
    on conflict do nothing returning 1`.execute(tx)
  return rows.length > 0
}

/** Counts a failed attempt; returns how many there were. */
export async function countFailure(db: Db, key: BackupKey | RestoreKey): Promise<number> {
  const [table, column, id] =
    'backupId' in key
      ? ['databases.backups', 'backup_id', key.backupId]
      : ['databases.restores', 'restore_id', key.restoreId]
  const [row] = await db.query<{ attempts: number }>(
    {
      text: `update ${table} set attempts = attempts + 1
        where account_id = $1 and cloud_id = $2 and ${column} = $3 returning attempts`,
    },
    [key.accountId, key.cloudId, id],
  )
  return row?.attempts ?? 0
}

/** Returns false where the backup is over already. */
export async function changeBackup(
  tx: Tx,
  { accountId, cloudId, backupId }: BackupKey,
  change: Partial<BackupRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('databases.backups')
    .set(change)
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('backup_id', '=', backupId)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Keeps the last backup for longer, which still is what the database holds, and deletes the queued one. */
export async function confirmBackup(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  { last, instead, now, expiresAt }: { last: string; instead: string; now: Date; expiresAt: Date },
): Promise<void> {
  await sql`update databases.backups set confirmed_at = ${now}, expires_at = greatest(expires_at, ${expiresAt})
    where account_id = ${accountId} and cloud_id = ${cloudId} and backup_id = ${last}`.execute(tx)
  await sql`delete from databases.backups where account_id = ${accountId} and cloud_id = ${cloudId}
    and backup_id = ${instead} and state = 'queued'`.execute(tx)
}

/**
 * Deletes one backup, some of a cloud that is being deleted, or some expired ones; returns the keys of their bytes. A backup that is being restored
 * stays meanwhile, unless its cloud is deleted.
 */
export async function deleteBackups(
  tx: Tx,
  which: BackupKey | CloudKey | { expired: Date },
  limit: number,
): Promise<{ deleted: number; keys: string[] }> {
  const chosen =
    'expired' in which
      ? sql`expires_at <= ${which.expired} and state <> 'queued'`
      : sql`account_id = ${which.accountId} and cloud_id = ${which.cloudId}
        ${'backupId' in which ? sql`and backup_id = ${which.backupId}` : sql``}`
  const isOfDeleted = !('expired' in which || 'backupId' in which)
  const held = sql`exists (select from databases.restores r where r.account_id = b.account_id
    and r.from_cloud_id = b.cloud_id and r.backup_id = b.backup_id and r.state = 'queued')`
  const spared = isOfDeleted ? sql`true` : sql`not ${held}`
  // Rows are locked first and then checked again: a restore may have been accepted meanwhile.
  const { rows: locked } = await sql<{ account_id: string; cloud_id: string; backup_id: string }>`
    select account_id, cloud_id, backup_id from databases.backups b where ${chosen} and ${spared}
    order by expires_at limit ${limit} for update`.execute(tx)
  const { rows } = await sql<{ storage_key: string | null }>`delete from databases.backups b
    using json_to_recordset(${JSON.stringify(locked)}::json) as l(account_id uuid, cloud_id uuid, backup_id uuid)
    where (b.account_id, b.cloud_id, b.backup_id) = (l.account_id, l.cloud_id, l.backup_id) and ${spared}
    returning storage_key`.execute(tx)
  return { deleted: rows.length, keys: rows.flatMap(({ storage_key: key }) => key ?? []) }
}

/** Returns dedicated clouds whose time of the night has come since their last backup or attempt at one, the longest waiting first. */
export const dueClouds = (
  db: Db,
  {
    nightStart,
    spreadSeconds,
    now,
    limit,
  }: { nightStart: Date; spreadSeconds: number; now: Date; limit: number },
): Promise<CloudKey[]> =>
  db.query(
    {
      text: `select c.account_id as "accountId", c.cloud_id as "cloudId" from clouds.clouds c
          join databases.databases d on d.account_id = c.account_id and d.cloud_id = c.cloud_id and d.provider = 'local'
          cross join lateral (select $1::timestamptz + make_interval(secs => (abs(hashtext(c.cloud_id::text)::bigint) % $2::int)::int) as tonight) t
          cross join lateral (select case when t.tonight <= $3 then t.tonight else t.tonight - interval '1 day' end as due) u
        where c.plan = 'dedicated' and c.state = 'ready' and c.suspended_at is null and c.created_at < u.due and not exists
          (select from databases.backups b where b.account_id = c.account_id and b.cloud_id = c.cloud_id
            and (b.confirmed_at >= u.due or b.state = 'queued'))
        order by u.due, c.cloud_id limit $4`,
    },
    [nightStart, spreadSeconds, now, limit],
  )

const restoresOf = (kysely: BackupReader, { accountId, cloudId }: CloudKey) =>
  kysely
    .selectFrom('databases.restores')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)

export const lastRestore = (kysely: BackupReader, cloud: CloudKey): Promise<RestoreRow | undefined> =>
  restoresOf(kysely, cloud)
    .orderBy('created_at', 'desc')
    .orderBy('restore_id', 'desc')
    .limit(1)
    .executeTakeFirst()

export const unfinishedRestore = (kysely: BackupReader, cloud: CloudKey): Promise<RestoreRow | undefined> =>
  restoresOf(kysely, cloud).where('state', '=', 'queued').executeTakeFirst()

/** Returns undefined where another restore into this cloud is unfinished. */
export async function insertRestore(
  tx: Tx,
  { accountId, cloudId, restoreId }: RestoreKey,
  { from, now }: { from: BackupRow; now: Date },
): Promise<RestoreRow | undefined> {
  const { rows } = await sql<RestoreRow>`insert into databases.restores
      (account_id, cloud_id, restore_id, from_cloud_id, backup_id, state, created_at)
    values (${accountId}, ${cloudId}, ${restoreId}, ${from.cloud_id}, ${from.backup_id}, 'queued', ${now})
    on conflict do nothing returning *`.execute(tx)
  return rows[0]
}

export async function findRestore(
  db: Db,
  { accountId, cloudId, restoreId }: RestoreKey,
): Promise<RestoreRow | undefined> {
  const [row] = await db.query<RestoreRow>(
    { text: 'select * from databases.restores where account_id = $1 and cloud_id = $2 and restore_id = $3' },
    [accountId, cloudId, restoreId],
  )
  return row
}

export async function endRestore(
  db: Db,
  { accountId, cloudId, restoreId }: RestoreKey,
  { error, now }: { error: BackupProblem | null; now: Date },
): Promise<void> {
  await db.query(
    {
      text: `update databases.restores set state = $4, error_code = $5, finished_at = $6
        where account_id = $1 and cloud_id = $2 and restore_id = $3 and state = 'queued'`,
    },
    [accountId, cloudId, restoreId, error === null ? 'done' : 'failed', error, now],
  )
}

/** The restore whose data a cloud has, or is to have; undefined where it has its own. */
export async function currentRestoreId(db: Db, cloud: CloudKey): Promise<string | undefined> {
  const row = await restoresOf(db.kysely, cloud)
    .where('state', '!=', 'failed')
    .orderBy('restore_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.restore_id
}

/** Returns unfinished backups and restores that began before `before`, a page of them after the id `after`. */
export const unfinishedRecords = async (
  db: Db,
  { before, after, limit }: { before: Date; after: string; limit: number },
): Promise<(BackupKey | RestoreKey)[]> => {
  const rows = await db.query<CloudKey & { backupId: string | null; restoreId: string | null }>(
    {
      text: `select * from (
          select account_id as "accountId", cloud_id as "cloudId", backup_id as "backupId", null::uuid as "restoreId", created_at
            from databases.backups where state = 'queued'
          union all select account_id, cloud_id, null, restore_id, created_at from databases.restores where state = 'queued'
        ) as u where created_at < $1 and coalesce("backupId", "restoreId") > $2
        order by coalesce("backupId", "restoreId") limit $3`,
    },
    [before, after, limit],
  )
  return rows.map(({ accountId, cloudId, backupId, restoreId }) =>
    backupId === null ? { accountId, cloudId, restoreId: restoreId! } : { accountId, cloudId, backupId },
  )
}
