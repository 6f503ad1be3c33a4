/** What visitors need of the database: the day's allowance, and files of versions that have been replaced. */
import { sql } from 'kysely'
import type { Db } from '#platform/db'
import type { FileRow } from './content-store.ts'
import type { SiteKey } from './store.ts'

/** Days whose use stays written. */
const keptDays = 90

export interface Allowance {
  requests: number
  bytes: number
}

/**
 * What is left of a day ('YYYY-MM-DD', UTC), cut to a portion, becomes used: the day's row is locked from reading to writing, so that all
 * processes together never take more than the limits. Undefined if the site does not exist.
 */
export async function takePortion(
  db: Db,
  { accountId, siteId }: SiteKey,
  day: string,
  limitsOf: (own: Record<string, number>) => Allowance,
  cut: (left: Allowance) => Allowance,
): Promise<Allowance | undefined> {
  return db.tx(async (tx) => {
    const { rows } = await sql<{ limits: Record<string, number> }>`select limits from sites.sites
      where account_id = ${accountId} and site_id = ${siteId} for key share`.execute(tx)
    if (!rows[0]) return undefined
    const begun =
      await sql`insert into sites.usage_days (account_id, site_id, day) values (${accountId}, ${siteId}, ${day})
      on conflict do nothing`.execute(tx)
    // The first of a day also ends what is kept, so that a site has at most so many rows.
    if (begun.numAffectedRows === 1n)
      await sql`delete from sites.usage_days where account_id = ${accountId} and site_id = ${siteId}
        and day < ${day}::date - ${keptDays}::int`.execute(tx)
    const used = await sql<{ requests: bigint; bytes: bigint }>`select requests, bytes from sites.usage_days
      where account_id = ${accountId} and site_id = ${siteId} and day = ${day} for update`.execute(tx)
    const limits = limitsOf(rows[0].limits)
    const portion = cut({
      requests: Math.max(0, limits.requests - Number(used.rows[0]!.requests)),
      bytes: Math.max(0, limits.bytes - Number(used.rows[0]!.bytes)),
    })
    if (portion.requests > 0 || portion.bytes > 0)
      await sql`update sites.usage_days set requests = requests + ${portion.requests}, bytes = bytes + ${portion.bytes}
        where account_id = ${accountId} and site_id = ${siteId} and day = ${day}`.execute(tx)
    return portion
  })
}

export interface Unused extends SiteKey, Allowance {
  day: string
}

/** What was taken and not used is free again. */
export async function giveBack(db: Db, unused: readonly Unused[]): Promise<void> {
  const back = sql`json_to_recordset(${JSON.stringify(unused)}::json)
    as b("accountId" uuid, "siteId" uuid, day date, requests bigint, bytes bigint)`
  await db.tx(async (tx) => {
    // In the order of their keys: two processes never wait for each other in a circle.
    await sql`select from sites.usage_days u join ${back}
        on u.account_id = b."accountId" and u.site_id = b."siteId" and u.day = b.day
      order by u.account_id, u.site_id, u.day for update of u`.execute(tx)
    await sql`update sites.usage_days u
      set requests = greatest(0, u.requests - b.requests), bytes = greatest(0, u.bytes - b.bytes)
      from (select "accountId", "siteId", day, sum(requests) as requests, sum(bytes) as bytes from ${back} group by 1, 2, 3) b
      where u.account_id = b."accountId" and u.site_id = b."siteId" and u.day = b.day`.execute(tx)
  })
}

export type StaleRow = FileRow & { replaced_at: Date }

/** The files of versions that were live, and were replaced after `since`; of equal paths that of the one replaced last. */
export const staleFilesOf = (
  db: Db,
  { accountId, siteId }: SiteKey,
  live: number,
  since: Date,
): Promise<StaleRow[]> =>
  db.query(
    {
      name: 'sites.stale_files',
      text: `select distinct on (f.path) f.path, f.media_type, encode(f.sha256, 'hex') as sha256, b.bytes, b.storage_key,
          b.brotli_key, b.brotli_bytes, b.gzip_key, b.gzip_bytes, v.replaced_at
        from sites.versions v
        join sites.files f on f.account_id = v.account_id and f.site_id = v.site_id and f.version = v.version
        join sites.blobs b on b.account_id = f.account_id and b.sha256 = f.sha256
        where v.account_id = $1 and v.site_id = $2 and v.version <> $3 and v.status = 'ready' and v.replaced_at > $4
        order by f.path, v.replaced_at desc, v.version desc`,
    },
    [accountId, siteId, live, since],
  )
