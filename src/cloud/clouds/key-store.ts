/** SQL of the keys of a cloud: the public and service keys that its app uses, and the keys that sign its users’ sessions. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { CloudKey } from './clouds.ts'
import type { KeyRow, SigningKeyRow } from './store.ts'

export const insertKey = (tx: Tx, key: KeyRow) => tx.insertInto('clouds.keys').values(key).execute()

/** The app keys of a cloud, oldest first, those that are over included. */
export const keysOf = (db: Db['kysely'], { accountId, cloudId }: CloudKey): Promise<KeyRow[]> =>
  db
    .selectFrom('clouds.keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .orderBy('key_id')
    .execute()

export const insertSigningKey = (tx: Tx, key: SigningKeyRow) =>
  tx
    .insertInto('clouds.signing_keys')
    .values({ ...key, public_jwk: JSON.stringify(key.public_jwk) as never })
    .execute()

/** The signing keys of a cloud, newest first. */
export const signingKeysOf = (db: Db['kysely'], { accountId, cloudId }: CloudKey): Promise<SigningKeyRow[]> =>
  db
    .selectFrom('clouds.signing_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .orderBy('kid', 'desc')
    .execute()

/** Ends the keys of a kind at `until`, unless they end before. */
export async function endKeys(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  kind: KeyRow['kind'],
  until: Date,
): Promise<void> {
  await sql`update clouds.keys set expires_at = least(expires_at, ${until}::timestamptz)
    where account_id = ${accountId} and cloud_id = ${cloudId} and kind = ${kind}`.execute(tx)
}

export async function deleteEndedKeys(tx: Tx, { accountId, cloudId }: CloudKey, now: Date): Promise<void> {
  await sql`delete from clouds.keys where account_id = ${accountId} and cloud_id = ${cloudId} and expires_at <= ${now}`.execute(
    tx,
  )
}

const portion = 1_000

/** Deletes a portion of the keys of all clouds that are over; returns how many. */
export async function deleteEnded({ kysely }: Db, now: Date): Promise<number> {
  let deleted = 0
  for (const table of ['clouds.keys', 'clouds.signing_keys']) {
    const { rows } = await sql`delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where expires_at <= ${now} limit ${portion})) returning 1`.execute(
      kysely,
    )
    deleted += rows.length
  }
  return deleted
}

/** Deletes a key and returns it; undefined where there is no such key. */
export async function deleteKey(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  keyId: string,
): Promise<KeyRow | undefined> {
  return tx
    .deleteFrom('clouds.keys')
    .where('account_id', '=', accountId)
    .where('cloud_id', '=', cloudId)
    .where('key_id', '=', keyId)
    .returningAll()
    .executeTakeFirst()
}

/** Retires the signing keys of a cloud: those that are over are deleted; the others sign no more, and end at `until`, unless they end before. */
export async function retireSigningKeys(
  tx: Tx,
  { accountId, cloudId }: CloudKey,
  now: Date,
  until: Date,
): Promise<void> {
  await sql`update clouds.signing_keys set retired_at = coalesce(retired_at, ${now}::timestamptz),
      expires_at = least(expires_at, ${until}::timestamptz)
    where account_id = ${accountId} and cloud_id = ${cloudId}`.execute(tx)
  await sql`delete from clouds.signing_keys
    where account_id = ${accountId} and cloud_id = ${cloudId} and expires_at <= ${now}`.execute(tx)
}
