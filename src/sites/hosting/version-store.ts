/** Versions of sites, from their publication until they expire. What a version consists of stands in content-store.ts. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { HeaderRule, Redirect } from './manifest.ts'
import type { SiteKey, SiteOwner } from './store.ts'

declare module '#platform/db' {
  interface Tables {
    'sites.versions': VersionRow
  }
}

export interface VersionRow {
  account_id: string
  site_id: string
  version: number
  status: 'publishing' | 'ready' | 'failed'
  error_code: string | null
  attempts: number
  pack_key: string | null
  pack_files: readonly PackedFile[] | null
  spa: boolean
  redirects: readonly Redirect[]
  headers: readonly HeaderRule[]
  files: number
  bytes: bigint
  preview: string
  created_at: Date
  ready_at: Date | null
  live_at: Date | null
  replaced_at: Date | null
  expires_at: Date | null
}

/** A file whose bytes stand in the pack; files of equal content share them. */
export interface PackedFile {
  path: string
  mediaType: string
  /** Hexadecimal. */
  sha256: string
  bytes: number
  offset: number
}

export interface VersionKey extends SiteKey {
  version: number
}

export const insertVersion = (tx: Tx, version: VersionRow) =>
  tx
    .insertInto('sites.versions')
    .values({
      ...version,
      // The driver would make an array one of PostgreSQL's instead of JSON.
      redirects: JSON.stringify(version.redirects) as never,
      headers: JSON.stringify(version.headers) as never,
      pack_files: JSON.stringify(version.pack_files) as never,
    })
    .execute()

export const findVersion = (
  db: Db,
  { accountId, siteId, version }: VersionKey,
): Promise<VersionRow | undefined> =>
  db.kysely
    .selectFrom('sites.versions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('version', '=', version)
    .executeTakeFirst()

/** The versions of a site, newest first; there are few. */
export const versionsOf = (db: Db['kysely'], { accountId, siteId }: SiteKey): Promise<VersionRow[]> =>
  db
    .selectFrom('sites.versions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .orderBy('version', 'desc')
    .execute()

/** Counts one more attempt at a version that is being published; undefined where it no longer is. */
export async function beginVersion(
  db: Db,
  { accountId, siteId, version }: VersionKey,
): Promise<VersionRow | undefined> {
  const [row] = await db.query<VersionRow>(
    {
      name: 'sites.begin_version',
      text: `update sites.versions set attempts = attempts + 1
        where account_id = $1 and site_id = $2 and version = $3 and status = 'publishing' returning *`,
    },
    [accountId, siteId, version],
  )
  return row
}

/** The version while it is being published; its site is locked. */
export const findPublishing = (
  tx: Tx,
  { accountId, siteId, version }: VersionKey,
): Promise<VersionRow | undefined> =>
  tx
    .selectFrom('sites.versions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('version', '=', version)
    .where('status', '=', 'publishing')
    .executeTakeFirst()

export const changeVersion = (
  tx: Tx,
  { accountId, siteId, version }: VersionKey,
  change: Partial<
    Omit<VersionRow, 'account_id' | 'site_id' | 'version' | 'redirects' | 'headers' | 'pack_files'>
  > & { pack_files?: null },
) =>
  tx
    .updateTable('sites.versions')
    .set(change)
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('version', '=', version)
    .execute()

/** Publications of a project that have not come to an end. */
export async function countPublishing(tx: Tx, { accountId, projectId }: SiteOwner): Promise<number> {
  const { rows } = await sql<{ many: bigint }>`select count(*) as many from sites.versions v
    join sites.sites s on s.account_id = v.account_id and s.site_id = v.site_id
    where s.account_id = ${accountId} and s.project_id = ${projectId} and v.status = 'publishing'`.execute(tx)
  return Number(rows[0]!.many)
}

/**
 * Sets how long each ready version stays. The live one and the `kept` newest ones stay for good. Others that were live stay until `graceMs` after
 * they were replaced, because open pages still request their files. The rest, and all beyond `maxReady`, expire at once.
 */
export async function setExpiries(
  tx: Tx,
  { accountId, siteId }: SiteKey,
  { kept, maxReady, graceMs, now }: { kept: number; maxReady: number; graceMs: number; now: Date },
): Promise<void> {
  await sql`with placed as (
      select v.version, v.replaced_at, v.ready_at,
        coalesce(v.version = s.live_version, false) or row_number() over (order by v.version desc) <= ${kept} as stays
      from sites.versions v join sites.sites s on s.account_id = v.account_id and s.site_id = v.site_id
      where v.account_id = ${accountId} and v.site_id = ${siteId} and v.status = 'ready'
    ), ranked as (
      select *, row_number() over (order by stays desc, greatest(ready_at, replaced_at) desc, version desc) as place from placed
    )
    update sites.versions v set expires_at = case
        when r.stays then null
        when r.place > ${maxReady} or r.replaced_at is null then ${now}::timestamptz
        else r.replaced_at + ${graceMs} * interval '1 millisecond'
      end
    from ranked r where v.account_id = ${accountId} and v.site_id = ${siteId} and v.version = r.version`.execute(
    tx,
  )
  // A failed version says why until the next one is accepted.
  await sql`update sites.versions v set expires_at = ${now} from sites.sites s
    where s.account_id = ${accountId} and s.site_id = ${siteId} and v.account_id = s.account_id and v.site_id = s.site_id
      and v.status = 'failed' and v.version < s.newest_version`.execute(tx)
}

/** Deletes versions of a site whose time is over; their packs were deleted when they were published. */
export async function deleteVersions(
  tx: Tx,
  { accountId, siteId }: SiteKey,
  versions: readonly number[],
): Promise<void> {
  await sql`delete from sites.versions where account_id = ${accountId} and site_id = ${siteId}
    and version = any(${versions})`.execute(tx)
}

export async function expiredVersions(tx: Tx, { accountId, siteId }: SiteKey, now: Date): Promise<number[]> {
  const rows = await tx
    .selectFrom('sites.versions')
    .select('version')
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('expires_at', '<=', now)
    .execute()
  return rows.map(({ version }) => version)
}

/** Sites that have expired versions. */
export async function sitesWithExpired(db: Db, now: Date, limit: number): Promise<SiteKey[]> {
  return db.query<SiteKey>(
    {
      text: `select distinct account_id as "accountId", site_id as "siteId" from sites.versions where expires_at <= $1 limit $2`,
    },
    [now, limit],
  )
}

/** The newest version before this one that was live, for going back without naming it. */
export async function versionBefore(
  tx: Tx,
  { accountId, siteId, version }: VersionKey,
): Promise<number | undefined> {
  const row = await tx
    .selectFrom('sites.versions')
    .select('version')
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('status', '=', 'ready')
    .where('version', '<', version)
    .where('live_at', 'is not', null)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.version
}
