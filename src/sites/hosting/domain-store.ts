import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'

declare module '#platform/db' {
  interface Tables {
    'sites.domains': DomainRow
  }
}

export type DomainState = 'pending' | 'proven' | 'lost'

export interface DomainRow {
  account_id: string
  site_id: string
  domain: string
  token: string
  state: DomainState
  proven_at: Date | null
  checked_at: Date | null
  missing_since: Date | null
  next_check_at: Date
  created_at: Date
}

/** A site, with the project that owns it. */
export interface SiteKey {
  accountId: string
  projectId: string
  siteId: string
}

type DomainOwnerKey = Pick<SiteKey, 'accountId' | 'siteId'>

export const domainsOf = (
  kysely: Db['kysely'] | Tx,
  { accountId, siteId }: DomainOwnerKey,
): Promise<DomainRow[]> =>
  kysely
    .selectFrom('sites.domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .orderBy('created_at')
    .orderBy('domain')
    .execute()

export const findDomain = (
  { kysely }: Pick<Db, 'kysely'>,
  { accountId, siteId }: DomainOwnerKey,
  domain: string,
): Promise<DomainRow | undefined> =>
  kysely
    .selectFrom('sites.domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('domain', '=', domain)
    .executeTakeFirst()

/** The claim by which a domain is proven; undefined if nobody has proven it. */
export const findProvenDomain = (
  { kysely }: Pick<Db, 'kysely'>,
  domain: string,
): Promise<DomainRow | undefined> =>
  kysely
    .selectFrom('sites.domains')
    .selectAll()
    .where('domain', '=', domain)
    .where('state', '=', 'proven')
    .executeTakeFirst()

export const insertDomain = (tx: Tx, row: DomainRow) => tx.insertInto('sites.domains').values(row).execute()

/** Returns false if the site has no such domain. */
export async function deleteDomain(
  tx: Tx,
  { accountId, siteId }: DomainOwnerKey,
  domain: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sites.domains')
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('domain', '=', domain)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Reserves the next check of a domain for whoever asks first. Returns false if the domain was checked after `since`, or is no longer there. */
export async function takeCheck(
  { kysely }: Pick<Db, 'kysely'>,
  { account_id, site_id, domain }: DomainRow,
  { now, since }: { now: Date; since: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('sites.domains')
    .set({ checked_at: now })
    .where('account_id', '=', account_id)
    .where('site_id', '=', site_id)
    .where('domain', '=', domain)
    .where((or) => or.or([or('checked_at', 'is', null), or('checked_at', '<=', since)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Stores what a check found, where the claim is the same as when the check began: another token is another claim. */
export async function writeCheck(
  tx: Tx,
  { account_id, site_id, domain, token }: DomainRow,
  found: Pick<DomainRow, 'state' | 'proven_at' | 'missing_since' | 'next_check_at'>,
): Promise<DomainRow | undefined> {
  return tx
    .updateTable('sites.domains')
    .set(found)
    .where('account_id', '=', account_id)
    .where('site_id', '=', site_id)
    .where('domain', '=', domain)
    .where('token', '=', token)
    .returningAll()
    .executeTakeFirst()
}

/** Takes domains whose check is due; each is due again after `nextCheckAt`, also where this process dies over it. */
export async function takeDueDomains(
  { kysely }: Pick<Db, 'kysely'>,
  { now, nextCheckAt, limit }: { now: Date; nextCheckAt: Date; limit: number },
): Promise<DomainRow[]> {
  const { rows } =
    await sql<DomainRow>`update sites.domains d set next_check_at = ${nextCheckAt}, checked_at = ${now}
    from (select account_id, site_id, domain from sites.domains where next_check_at <= ${now}
      order by next_check_at limit ${limit} for update skip locked) due
    where (d.account_id, d.site_id, d.domain) = (due.account_id, due.site_id, due.domain)
    returning d.*`.execute(kysely)
  return rows
}
