import { sql } from 'kysely'
import type { Db } from '#platform/db'
import type { HeldTable } from './holdings.ts'

/** Deletes up to `limit` rows of the account and marks their bytes for deletion, in one statement; returns how many rows. */
export async function deletePortion(
  { kysely }: Db,
  { name, blobs = 'null::text[]' }: HeldTable,
  { accountId, limit, now }: { accountId: string; limit: number; now: Date },
): Promise<number> {
  const table = sql.table(name)
  const { rows } = await sql<{ deleted: number }>`with gone as (
      delete from ${table} t where t.account_id = ${accountId}
        and t.ctid = any(array(select ctid from ${table} where account_id = ${accountId} limit ${limit}))
      returning ${sql.raw(blobs)} as keys
    ), marked as (
      insert into storage.pending_blobs (key, due_at)
      select distinct key, ${now}::timestamptz from gone cross join lateral unnest(gone.keys) key where key is not null
      on conflict (key) do nothing
    )
    select count(*)::int as deleted from gone`.execute(kysely)
  return rows[0]!.deleted
}
