/** Sites, their slugs, and what visitors have used of them. Their versions stand in version-store.ts. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page, type PageOptions, pageClause } from '#platform/lists'
import type { VersionRow } from './version-store.ts'

declare module '#platform/db' {
  interface Tables {
    'sites.sites': SiteRow
  }
}

export interface SiteRow {
  account_id: string
  site_id: string
  project_id: string
  cloud_id: string | null
  name: string
  slug: string
  live_version: number | null
  newest_version: number
  settled_version: number
  taken_down_at: Date | null
  taken_down_reason: string | null
  limits: Record<string, number>
  created_at: Date
  updated_at: Date
}

/** The account and project that own a site. */
export interface SiteOwner {
  accountId: string
  projectId: string
}

/** A site, whoever owns it. */
export interface SiteKey {
  accountId: string
  siteId: string
}

/** A site with the state of its newest publication and its live version. */
export interface ShownSite extends SiteRow {
  status: VersionRow['status']
  error_code: string | null
  spa: boolean
  files: number
  bytes: bigint
  live_preview: string | null
  live_at: Date | null
  /** The site's own domain, if one is proven. */
  domain: string | null
}

const shownSites = sql`select s.*, n.status, n.error_code, n.spa, n.files, n.bytes, l.preview as live_preview, l.live_at,
    (select d.domain from sites.domains d where d.account_id = s.account_id and d.site_id = s.site_id and d.state = 'proven'
      order by d.proven_at, d.domain limit 1) as domain
  from sites.sites s
  join sites.versions n on n.account_id = s.account_id and n.site_id = s.site_id and n.version = s.newest_version
  left join sites.versions l on l.account_id = s.account_id and l.site_id = s.site_id and l.version = s.live_version`

const whereCloud = (cloudId: string | undefined) =>
  cloudId === undefined ? sql`` : sql`and s.cloud_id = ${cloudId}`

export async function findSite(
  db: Pick<Db, 'kysely'>,
  { accountId, projectId, siteId, cloudId }: SiteOwner & { siteId: string; cloudId?: string | undefined },
): Promise<ShownSite | undefined> {
  const { rows } = await sql<ShownSite>`${shownSites}
    where s.account_id = ${accountId} and s.project_id = ${projectId} and s.site_id = ${siteId} ${whereCloud(cloudId)}`.execute(
    db.kysely,
  )
  return rows[0]
}

/** A site, read inside the transaction that has changed it. */
export async function readSite(tx: Tx, { accountId, siteId }: SiteKey): Promise<ShownSite> {
  const { rows } = await sql<ShownSite>`${shownSites}
    where s.account_id = ${accountId} and s.site_id = ${siteId}`.execute(tx)
  return rows[0]!
}

/** A site with all its versions, newest first, as they are at one moment. */
export async function findSiteWithVersions(
  { kysely }: Db,
  { accountId, projectId, siteId, cloudId }: SiteOwner & { siteId: string; cloudId?: string | undefined },
): Promise<(ShownSite & { versions: VersionRow[] }) | undefined> {
  const { rows } = await sql<ShownSite & { versions: VersionRow[] }>`select site.*,
      (select json_agg(to_json(v) order by v.version desc) from sites.versions v
        where v.account_id = site.account_id and v.site_id = site.site_id) as versions
    from (${shownSites}
      where s.account_id = ${accountId} and s.project_id = ${projectId} and s.site_id = ${siteId} ${whereCloud(cloudId)}) as site`.execute(
    kysely,
  )
  const [row] = rows
  return row && { ...row, versions: row.versions.map(fromJson) }
}

/** A row that came as JSON, where times are texts and large numbers are numbers. */
function fromJson(row: VersionRow): VersionRow {
  const time = (text: Date | null) => (text === null ? null : new Date(text))
  return {
    ...row,
    bytes: BigInt(row.bytes),
    created_at: new Date(row.created_at),
    ready_at: time(row.ready_at),
    live_at: time(row.live_at),
    replaced_at: time(row.replaced_at),
    expires_at: time(row.expires_at),
  }
}

/** The sites of a project, newest first. */
export async function listSites(
  db: Db,
  { accountId, projectId }: SiteOwner,
  options: PageOptions & { cloud_id?: string | undefined },
): Promise<Page<ShownSite>> {
  const { rows } = await sql<ShownSite>`${shownSites}
    where s.account_id = ${accountId} and s.project_id = ${projectId} ${whereCloud(options.cloud_id)}
      ${pageClause('s.site_id', options)}`.execute(db.kysely)
  return cutPage(rows, options.limit)
}

/** Ids of sites that belong to an app back-end. */
export async function sitesOfCloud(
  db: Db,
  { accountId, cloudId }: { accountId: string; cloudId: string },
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ site_id: string }>(
    {
      text: 'select site_id from sites.sites where account_id = $1 and cloud_id = $2 order by site_id limit $3',
    },
    [accountId, cloudId, limit],
  )
  return rows.map(({ site_id: id }) => id)
}

export async function countSitesOfCloud(
  db: Db,
  { accountId, cloudId }: { accountId: string; cloudId: string },
): Promise<number> {
  const [row] = await db.query<{ many: bigint }>(
    { text: 'select count(*) as many from sites.sites where account_id = $1 and cloud_id = $2' },
    [accountId, cloudId],
  )
  return Number(row!.many)
}

/** A site of any account, by id or slug, for the operator. */
export async function findAnySite(
  { kysely }: Db,
  named: { siteId: string } | { slug: string },
): Promise<SiteRow | undefined> {
  const condition =
    'slug' in named
      ? sql`(account_id, site_id) = (select account_id, site_id from sites.slugs where slug = ${named.slug})`
      : sql`site_id = ${named.siteId}`
  const { rows } = await sql<SiteRow>`select * from sites.sites where ${condition}`.execute(kysely)
  return rows[0]
}

/** The sites of all accounts, newest first, for the operator. */
export async function listAllSites(
  db: Db,
  options: PageOptions & { account_id?: string | undefined },
): Promise<Page<ShownSite>> {
  const ofAccount = options.account_id === undefined ? sql`` : sql`and s.account_id = ${options.account_id}`
  const { rows } =
    await sql<ShownSite>`${shownSites} where true ${ofAccount} ${pageClause('s.site_id', options)}`.execute(
      db.kysely,
    )
  return cutPage(rows, options.limit)
}

/** Blocks other creations in the project until the transaction ends, so that the cap is exact. */
export async function lockSitesOfProject(tx: Tx, { projectId }: SiteOwner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('sites.sites'), hashtext(${projectId}))`.execute(tx)
}

export async function countSites(tx: Tx, { accountId, projectId }: SiteOwner): Promise<number> {
  const { many } = await tx
    .selectFrom('sites.sites')
    .select((of) => of.fn.countAll<bigint>().as('many'))
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(many)
}

/**
 * Takes the slug for a site. False where another site has it, or where it is closed: to other accounts for a time after its site was deleted, and to
 * its own account as well if that site had been taken down.
 */
export async function claimSlug(
  tx: Tx,
  { accountId, siteId }: SiteKey,
  slug: string,
  now: Date,
): Promise<boolean> {
  const { rows } =
    await sql`insert into sites.slugs as s (slug, account_id, site_id) values (${slug}, ${accountId}, ${siteId})
    on conflict (slug) do update set account_id = excluded.account_id, site_id = excluded.site_id, closed_until = null, taken_down = false
      where s.site_id is null and (s.closed_until <= ${now} or (s.account_id = excluded.account_id and not s.taken_down))
    returning 1`.execute(tx)
  return rows.length === 1
}

export async function closeSlug(tx: Tx, slug: string, closedUntil: Date, takenDown: boolean): Promise<void> {
  await sql`update sites.slugs set site_id = null, closed_until = ${closedUntil}, taken_down = ${takenDown}
    where slug = ${slug}`.execute(tx)
}

export const insertSite = (tx: Tx, site: SiteRow) =>
  tx
    .insertInto('sites.sites')
    .values({ ...site, limits: JSON.stringify(site.limits) as never })
    .execute()

/**
 * Locks a site against other changes until the transaction ends; not against rows that refer to the site, such as the counts of its visitors, who
 * would wait for a publication otherwise.
 */
export const lockSite = (
  tx: Tx,
  { accountId, siteId, projectId }: SiteKey & { projectId?: string },
): Promise<SiteRow | undefined> =>
  tx
    .selectFrom('sites.sites')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId!))
    .forNoKeyUpdate()
    .executeTakeFirst()

export const changeSite = (
  tx: Tx,
  { accountId, siteId }: SiteKey,
  change: Partial<Omit<SiteRow, 'account_id' | 'site_id' | 'limits'>>,
) =>
  tx
    .updateTable('sites.sites')
    .set(change)
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .execute()

export async function setLimits(
  tx: Tx,
  { accountId, siteId }: SiteKey,
  limits: Record<string, number>,
): Promise<void> {
  await sql`update sites.sites set limits = ${JSON.stringify(limits)}::jsonb
    where account_id = ${accountId} and site_id = ${siteId}`.execute(tx)
}

/** Deletes a site with everything that belongs to it. */
export const deleteSite = (tx: Tx, { accountId, siteId }: SiteKey) =>
  tx.deleteFrom('sites.sites').where('account_id', '=', accountId).where('site_id', '=', siteId).execute()

/** What the visitors of a site have used in a day (UTC, 'YYYY-MM-DD'). */
export async function usageOf(
  db: Db,
  { accountId, siteId }: SiteKey,
  day: string,
): Promise<{ requests: bigint; bytes: bigint }> {
  const [row] = await db.query<{ requests: bigint; bytes: bigint }>(
    {
      text: 'select requests, bytes from sites.usage_days where account_id = $1 and site_id = $2 and day = $3',
    },
    [accountId, siteId, day],
  )
  return row ?? { requests: 0n, bytes: 0n }
}

/** Sites of an account, those of app back-ends too. */
export async function sitesOfAccount(db: Db, accountId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ site_id: string }>(
    { text: 'select site_id from sites.sites where account_id = $1 order by site_id limit $2' },
    [accountId, limit],
  )
  return rows.map(({ site_id: id }) => id)
}

/** Sites of an account that are down for this reason; null: that are up. */
export async function sitesDownFor(
  db: Db,
  { accountId, reason }: { accountId: string; reason: string | null },
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ site_id: string }>(
    {
      text: `select site_id from sites.sites where account_id = $1
        and case when $2::text is null then taken_down_at is null else taken_down_reason = $2 end
        order by site_id limit $3`,
    },
    [accountId, reason, limit],
  )
  return rows.map(({ site_id: id }) => id)
}
