/** What is in clouds, whichever room it belongs to: how it is counted at one moment, and how it is deleted. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { CloudKey } from './clouds.ts'

/**
 * Tables that may have many rows of a cloud, in an order in which nothing refers to what is deleted; those that are not listed have few,
 * and go with what they refer to.
 */
const large = [
  'functions.logs',
  'functions.versions',
  'collections.rows',
  'app_users.refresh_tokens',
  'app_users.one_time_tokens',
  'app_users.sessions',
  'app_users.users',
  'app_users.mails',
  'app_users.failed_sign_ins',
  'clouds.usage_days',
]

export async function isDeleting(db: Db, { accountId, cloudId }: CloudKey): Promise<boolean> {
  const rows = await db.query(
    { text: `select from clouds.clouds where account_id = $1 and cloud_id = $2 and state = 'deleting'` },
    [accountId, cloudId],
  )
  return rows.length > 0
}

/** At most `limit` rows of one table; how many. 0: none of them has any. */
export async function deleteRows(tx: Tx, { accountId, cloudId }: CloudKey, limit: number): Promise<number> {
  for (const table of large) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where account_id = ${accountId} and cloud_id = ${cloudId} limit ${limit}))`.execute(
      tx,
    )
    if (numAffectedRows) return Number(numAffectedRows)
  }
  return 0
}

/** The keys of their bytes, which the caller deletes; all of them without a limit. */
export async function deleteFiles(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  limit?: number,
): Promise<string[]> {
  const bound = limit === undefined ? sql`` : sql`limit ${limit}`
  const { rows } = await sql<{ storage_key: string }>`delete from app_files.files
    where account_id = ${accountId} and cloud_id = ${cloudId} and file_id = any(array(
      select file_id from app_files.files where account_id = ${accountId} and cloud_id = ${cloudId} ${bound}))
    returning storage_key`.execute(tx)
  return rows.map(({ storage_key: key }) => key)
}

export interface CloudUsage {
  collections: bigint
  rows: bigint
  row_bytes: bigint
  users: bigint
  files: bigint
  file_bytes: bigint
  functions: bigint
  secrets: bigint
  sites: bigint
  function_calls: bigint
  egress_bytes: bigint
  mails: bigint
}

/** All of it at one moment; calls, bytes that left and mails are those of the day (UTC, 'YYYY-MM-DD'). */
export async function readUsage(db: Db, { accountId, cloudId }: CloudKey, day: string): Promise<CloudUsage> {
  const of = 't.account_id = $1 and t.cloud_id = $2'
  const [row] = await db.query<CloudUsage>(
    {
      name: 'clouds.usage',
      text: `select
        (select count(*) from collections.collections t where ${of}) as collections,
        coalesce((select rows from collections.counts t where ${of}), 0) as rows,
        coalesce((select bytes from collections.counts t where ${of}), 0) as row_bytes,
        (select count(*) from app_users.users t where ${of}) as users,
        coalesce((select files from app_files.counts t where ${of}), 0) as files,
        coalesce((select bytes from app_files.counts t where ${of}), 0) as file_bytes,
        (select count(*) from functions.functions t where ${of}) as functions,
        (select count(*) from functions.secrets t where ${of}) as secrets,
        (select count(*) from sites.sites t where ${of}) as sites,
        coalesce((select function_calls from clouds.usage_days t where ${of} and day = $3::date), 0) as function_calls,
        coalesce((select egress_bytes from clouds.usage_days t where ${of} and day = $3::date), 0) as egress_bytes,
        (select count(*) from app_users.mails t where ${of} and sent_at >= $3::timestamp at time zone 'UTC') as mails`,
    },
    [accountId, cloudId, day],
  )
  return row!
}
