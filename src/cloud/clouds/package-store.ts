import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page, type PageOptions, pageClause } from '#platform/lists'
import type { CloudKey } from './clouds.ts'

declare module '#platform/db' {
  interface Tables {
    'clouds.packages': PackageRow
  }
}

export interface PackageRow {
  account_id: string
  package_id: string
  offer: string
  cloud_id: string | null
  paid_until: Date | null
  ended_at: Date | null
  created_at: Date
  updated_at: Date
}

type Kysely = Db['kysely']

/** The packages of an account, the oldest first, locked until the transaction ends. */
export const lockPackages = (tx: Tx, accountId: string): Promise<PackageRow[]> =>
  tx
    .selectFrom('clouds.packages')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('package_id')
    .forUpdate()
    .execute()

export const packagesOf = (kysely: Kysely, accountId: string): Promise<PackageRow[]> =>
  kysely.selectFrom('clouds.packages').selectAll().where('account_id', '=', accountId).execute()

/** The package that a cloud uses. */
export const packageOf = (
  kysely: Kysely,
  { accountId, cloudId }: CloudKey,
): Promise<PackageRow | undefined> =>
  kysely
    .selectFrom('clouds.packages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .executeTakeFirst()

/** A package of any account, for the operator. */
export const findPackage = (kysely: Kysely, packageId: string): Promise<PackageRow | undefined> =>
  kysely.selectFrom('clouds.packages').selectAll().where('package_id', '=', packageId).executeTakeFirst()

export const lockPackage = (tx: Tx, packageId: string): Promise<PackageRow | undefined> =>
  tx
    .selectFrom('clouds.packages')
    .selectAll()
    .where('package_id', '=', packageId)
    .forUpdate()
    .executeTakeFirst()

/** The packages of all accounts, newest first, for the operator. */
export async function listPackages(
  { kysely }: Db,
  options: PageOptions & { account_id?: string | undefined },
): Promise<Page<PackageRow>> {
  const ofAccount = options.account_id === undefined ? sql`` : sql`and account_id = ${options.account_id}`
  const { rows } = await sql<PackageRow>`select * from clouds.packages
    where true ${ofAccount} ${pageClause('package_id', options)}`.execute(kysely)
  return cutPage(rows, options.limit)
}

/** Inserts a package; one that was given already is returned. Undefined where another package has this id. */
export async function insertPackage(
  tx: Tx,
  row: PackageRow,
): Promise<{ row: PackageRow; isNew: boolean } | undefined> {
  const { rows } = await sql<PackageRow>`insert into clouds.packages
      (account_id, package_id, offer, paid_until, created_at, updated_at)
    values (${row.account_id}, ${row.package_id}, ${row.offer}, ${row.paid_until}, ${row.created_at}, ${row.updated_at})
    on conflict (package_id) do nothing returning *`.execute(tx)
  if (rows[0]) return { row: rows[0], isNew: true }
  const there = await findPackage(tx, row.package_id)
  const isSame = there?.account_id === row.account_id && there.offer === row.offer
  return isSame ? { row: there, isNew: false } : undefined
}

export async function changePackage(
  tx: Tx,
  { account_id, package_id }: PackageRow,
  change: Partial<PackageRow>,
): Promise<void> {
  await tx
    .updateTable('clouds.packages')
    .set(change)
    .where('account_id', '=', account_id)
    .where('package_id', '=', package_id)
    .execute()
}

export async function isAnyDeleting(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from clouds.packages p join clouds.clouds c using (account_id, cloud_id)
    where p.account_id = ${accountId} and c.state = 'deleting' limit 1`.execute(tx)
  return rows.length > 0
}

/** The clouds that are not suspended and whose package ended before this time. */
export const cloudsOfEnded = (db: Db, before: Date, limit: number): Promise<CloudKey[]> =>
  db.query(
    {
      text: `select p.account_id as "accountId", p.cloud_id as "cloudId" from clouds.packages p join clouds.clouds c using (account_id, cloud_id)
        where p.ended_at < $1 and c.suspended_at is null and c.state <> 'deleting' limit $2`,
    },
    [before, limit],
  )
