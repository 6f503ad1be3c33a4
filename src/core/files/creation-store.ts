/** SQL of creations: the room that is reserved for them, their rows, and what becomes of them. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type Judge, lapseIntervalSql } from '#platform/processes'
import type { FileOwner, FileRow } from './store.ts'

export interface Reservation extends FileOwner {
  receiptId: string
  processId: string
  creations: number
  bytes: number
}

export interface Quota {
  maxCreations: number
  maxBytes: number
}

/**
 * Reserves room for what a call will make. Returns false where the project has no room. The commit does not wait for the disk: the hold that follows
 * does, and a reservation that a crash of the database loses belongs to nobody.
 */
export async function reserve(
  db: Db,
  asked: Reservation,
  { maxCreations, maxBytes }: Quota,
): Promise<boolean> {
  if (asked.creations > maxCreations || asked.bytes > maxBytes) return false
  const rows = await db.query(
    {
      name: 'files.reserve',
      text: `with room as (
          insert into files.usage as u (account_id, project_id, files, bytes, creations, creation_bytes) values ($1, $2, 0, 0, $5, $6)
          on conflict (account_id, project_id) do update set
            creations = u.creations + excluded.creations, creation_bytes = u.creation_bytes + excluded.creation_bytes
          where u.creations + excluded.creations <= $7 and u.creation_bytes + excluded.creation_bytes <= $8
          returning 1)
        insert into files.reservations (account_id, project_id, receipt_id, process_id, creations, bytes)
        select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::bigint, $6::bigint from room
        where set_config('synchronous_commit', 'off', true) = 'off' returning 1`,
    },
    [
      asked.accountId,
      asked.projectId,
      asked.receiptId,
      asked.processId,
      asked.creations,
      asked.bytes,
      maxCreations,
      maxBytes,
    ],
  )
  return rows.length === 1
}

/**
 * Reserves room in a transaction, for work that outlives its process: the room lasts as long as the hold of the receipt. Call `lockUsage` before the
 * hold is taken, since commits of creations lock in this order.
 */
export async function reserveIn(
  tx: Tx,
  asked: Omit<Reservation, 'processId'>,
  { maxCreations, maxBytes }: Quota,
): Promise<boolean> {
  const { accountId, projectId, receiptId, creations, bytes } = asked
  const { rows } = await sql`with room as (
      update files.usage u set creations = u.creations + ${creations}, creation_bytes = u.creation_bytes + ${bytes}
      where account_id = ${accountId} and project_id = ${projectId}
        and u.creations + ${creations} <= ${maxCreations} and u.creation_bytes + ${bytes} <= ${maxBytes}
      returning 1)
    insert into files.reservations (account_id, project_id, receipt_id, process_id, creations, bytes)
    select ${accountId}::uuid, ${projectId}::uuid, ${receiptId}::uuid, null, ${creations}::bigint, ${bytes}::bigint from room
    returning 1`.execute(tx)
  return rows.length === 1
}

/** Locks the usage row of the project: its other transactions wait from here on. */
export async function lockUsage(tx: Tx, { accountId, projectId }: FileOwner): Promise<void> {
  await sql`insert into files.usage (account_id, project_id, files, bytes) values (${accountId}, ${projectId}, 0, 0)
    on conflict do nothing`.execute(tx)
  await sql`select from files.usage where account_id = ${accountId} and project_id = ${projectId} for update`.execute(
    tx,
  )
}

/** Gives the room of a receipt back when the transaction commits. */
export async function releaseIn(tx: Tx, accountId: string, receiptId: string): Promise<void> {
  await sql`with gone as (
      delete from files.reservations where account_id = ${accountId} and receipt_id = ${receiptId}
      returning account_id, project_id, creations, bytes)
    update files.usage u set creations = u.creations - gone.creations, creation_bytes = u.creation_bytes - gone.bytes
    from gone where u.account_id = gone.account_id and u.project_id = gone.project_id`.execute(tx)
}

/** Gives the room of a call back; a second time it changes nothing. */
export async function release(db: Db, accountId: string, receiptId: string): Promise<void> {
  await db.query(
    {
      name: 'files.release',
      text: `with gone as (
          delete from files.reservations where account_id = $1 and receipt_id = $2 returning account_id, project_id, creations, bytes)
        update files.usage u set creations = u.creations - gone.creations, creation_bytes = u.creation_bytes - gone.bytes
        from gone where u.account_id = gone.account_id and u.project_id = gone.project_id`,
    },
    [accountId, receiptId],
  )
}

/** Releases the room of dead processes, and of calls before `before` (a UUIDv7) that hold nothing any more, whose own release was lost. */
export async function releaseAbandoned(
  db: Db,
  { id, leaseMs, beatAt }: Judge,
  before: string,
): Promise<number> {
  const rows = await db.query(
    {
      text: `with gone as (
          delete from files.reservations r
          where (r.process_id is not null and not ledger.lives(r.process_id, ${lapseIntervalSql('$1', '$3', '$4')})) or (r.receipt_id < $2
            and not exists (select from ledger.holds h where h.account_id = r.account_id and h.receipt_id = r.receipt_id))
          returning account_id, project_id, creations, bytes),
        sums as (select account_id, project_id, sum(creations)::bigint as creations, sum(bytes)::bigint as bytes from gone group by 1, 2)
        update files.usage u set creations = u.creations - s.creations, creation_bytes = u.creation_bytes - s.bytes
        from sums s where u.account_id = s.account_id and u.project_id = s.project_id returning 1`,
    },
    [leaseMs, before, id, beatAt],
  )
  return rows.length
}

/** Counts the files in place of the room that was reserved for them: paid files are kept, even if they are larger. */
export async function exchangeReservation(
  tx: Tx,
  receiptId: string,
  rows: readonly FileRow[],
): Promise<void> {
  const [{ account_id: accountId, project_id: projectId }] = rows as [FileRow]
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0n)
  await sql`with gone as (
      delete from files.reservations where account_id = ${accountId} and receipt_id = ${receiptId} returning creations, bytes)
    insert into files.usage as u (account_id, project_id, files, bytes, creations, creation_bytes)
    values (${accountId}, ${projectId}, 0, 0, ${rows.length}, ${bytes})
    on conflict (account_id, project_id) do update set
      creations = u.creations + excluded.creations - coalesce((select creations from gone), 0),
      creation_bytes = u.creation_bytes + excluded.creation_bytes - coalesce((select bytes from gone), 0)`.execute(
    tx,
  )
}

export const findExpired = (
  db: Db,
  now: Date,
  limit: number,
): Promise<Pick<FileRow, 'account_id' | 'project_id' | 'file_id'>[]> =>
  db.query(
    {
      text: `select account_id, project_id, file_id from files.files where expires_at <= $1 order by expires_at limit $2`,
    },
    [now, limit],
  )

export const findSpooled = (
  db: Db,
  place: string,
  after: string,
  limit: number,
): Promise<Pick<FileRow, 'account_id' | 'file_id' | 'bytes' | 'sha256'>[]> =>
  db.query(
    {
      text: `select account_id, file_id, bytes, sha256 from files.files where spooled_on = $1 and file_id > $2 order by file_id limit $3`,
    },
    [place, after, limit],
  )

/** Returns the ids of those files that wait in this place. */
export async function waitingFileIds(
  db: Db,
  place: string,
  fileIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ file_id: string }>(
    { text: `select file_id from files.files where spooled_on = $1 and file_id::text = any($2::text[])` },
    [place, fileIds],
  )
  return new Set(rows.map(({ file_id: id }) => id))
}

/** Locks the row of a file that waits. Returns false if the file no longer waits, or was deleted. */
export async function lockSpooled(tx: Tx, accountId: string, fileId: string): Promise<boolean> {
  const { rows } = await sql`select from files.files
    where account_id = ${accountId} and file_id = ${fileId} and spooled_on is not null for update`.execute(tx)
  return rows.length === 1
}

/** Records that the bytes of a file are in the store. Returns false if another process has already done so, or if the file was deleted. */
export async function markStored(tx: Tx, accountId: string, fileId: string): Promise<boolean> {
  const { rows } = await sql`update files.files set spooled_on = null
    where account_id = ${accountId} and file_id = ${fileId} and spooled_on is not null returning 1`.execute(
    tx,
  )
  return rows.length === 1
}
