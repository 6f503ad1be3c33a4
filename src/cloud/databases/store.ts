/** Which databases there are, and where. */
import { sql } from 'kysely'
import type { CloudKey, LimitSource } from '#cloud/clouds'
import type { Db, Tx } from '#platform/db'
import type { DatabaseRecord } from './databases.ts'

interface DatabaseRow {
  account_id: string
  cloud_id: string
  ref: string
  provider: 'local' | 'external'
  place: string
  os_user: number | null
  secrets_sealed: string | null
  disk_bytes: bigint
  rows_estimate: bigint | null
  measured_at: Date | null
  created_at: Date
}

declare module '#platform/db' {
  interface Tables {
    'databases.databases': DatabaseRow
  }
}

/** The database of a cloud; undefined where it has none. `stays`: the cloud will have no other database. */
export async function findDatabase(
  db: Db,
  { accountId, cloudId }: CloudKey,
): Promise<(DatabaseRecord & { stays: boolean }) | undefined> {
  const [row] = await db.query<DatabaseRecord & { stays: boolean }>(
    {
      name: 'databases.find',
      text: `select d.account_id as "accountId", d.cloud_id as "cloudId", d.ref, d.provider, d.place, d.os_user as "osUser",
          d.secrets_sealed as "secretsSealed", c.plan = 'dedicated' as stays
        from databases.databases d join clouds.clouds c on c.account_id = d.account_id and c.cloud_id = d.cloud_id
        where d.account_id = $1 and d.cloud_id = $2`,
    },
    [accountId, cloudId],
  )
  return row
}

/** What the limits of a database come from; undefined where its cloud is gone. */
export async function findPackageLimits(
  db: Db,
  { accountId, cloudId }: CloudKey,
): Promise<LimitSource | undefined> {
  const [row] = await db.query<LimitSource>(
    {
      name: 'databases.limited',
      // A Starter cloud that is being moved has the package that is reserved for it.
      text: `select coalesce(c.offer, p.offer) as offer, c.limits from clouds.clouds c
        left join clouds.packages p on p.account_id = c.account_id and p.cloud_id = c.cloud_id
        where c.account_id = $1 and c.cloud_id = $2`,
    },
    [accountId, cloudId],
  )
  return row
}

export const takenPlaces = (db: Db): Promise<{ place: string; osUser: number | null }[]> =>
  db.query({ text: 'select place, os_user as "osUser" from databases.databases' }, [])

/** False where another database has this user of the machine, or the cloud has a database already. */
export async function insertDatabase(
  db: Db,
  { accountId, cloudId, ref, provider, place, osUser, secretsSealed }: DatabaseRecord,
): Promise<boolean> {
  const inserted = await db.query(
    {
      text: `insert into databases.databases (account_id, cloud_id, ref, provider, place, os_user, secrets_sealed, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, now()) on conflict do nothing returning 1`,
    },
    [accountId, cloudId, ref, provider, place, osUser, secretsSealed],
  )
  return inserted.length > 0
}

/** Deletes only the record of a database, and returns it. */
export async function takeDatabase(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
): Promise<DatabaseRecord | undefined> {
  const { rows } = await sql<DatabaseRecord>`delete from databases.databases
    where account_id = ${accountId} and cloud_id = ${cloudId}
    returning account_id as "accountId", cloud_id as "cloudId", ref, provider, place, os_user as "osUser",
      secrets_sealed as "secretsSealed"`.execute(tx)
  return rows[0]
}

export async function deleteDatabase(
  db: Db,
  { accountId, cloudId, ref }: Pick<DatabaseRecord, 'accountId' | 'cloudId' | 'ref'>,
): Promise<void> {
  await db.query(
    { text: 'delete from databases.databases where account_id = $1 and cloud_id = $2 and ref = $3' },
    [accountId, cloudId, ref],
  )
}
