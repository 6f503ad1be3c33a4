import { sql } from 'kysely'
import type { Db } from '#platform/db'

/** A site by all the names that visitors may use. */
export interface NamedSite {
  account_id: string
  site_id: string
  slug: string
  live_version: number | null
  taken_down: boolean
  /** The previews of all versions that can be seen. */
  previews: { label: string; version: number }[]
  /** The proven domains. */
  domains: string[]
}

const named = sql`select s.account_id, s.site_id, s.slug, s.live_version, s.taken_down_at is not null as taken_down,
    coalesce((select json_agg(json_build_object('label', v.preview, 'version', v.version)) from sites.versions v
      where v.account_id = s.account_id and v.site_id = s.site_id and v.status = 'ready'), '[]') as previews,
    coalesce((select json_agg(d.domain) from sites.domains d
      where d.account_id = s.account_id and d.site_id = s.site_id and d.state = 'proven'), '[]') as domains
  from sites.sites s`

/** One site; undefined if it does not exist. */
export async function namedSite(
  { kysely }: Db,
  accountId: string,
  siteId: string,
): Promise<NamedSite | undefined> {
  const { rows } = await sql<NamedSite>`${named}
    where s.account_id = ${accountId} and s.site_id = ${siteId}`.execute(kysely)
  return rows[0]
}

/** All sites in portions, each beginning after the last of the one before. */
export async function namedSites(
  { kysely }: Db,
  after: { accountId: string; siteId: string },
  limit: number,
): Promise<NamedSite[]> {
  const { rows } = await sql<NamedSite>`${named}
    where (s.account_id, s.site_id) > (${after.accountId}::uuid, ${after.siteId}::uuid)
    order by s.account_id, s.site_id limit ${limit}`.execute(kysely)
  return rows
}
