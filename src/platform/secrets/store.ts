import type { Db } from '#platform/db'

/** Id of the key that seals the secrets of this database; undefined while nothing was ever sealed. */
export async function readKeyId(db: Db): Promise<string | undefined> {
  const [row] = await db.query<{ key_id: string }>({ text: 'select key_id from secrets.seal' }, [])
  return row?.key_id
}

/** Makes it the key of this database, unless there is one. */
export const claimKeyId = (db: Db, keyId: string): Promise<unknown> =>
  db.query({ text: 'insert into secrets.seal (key_id) values ($1) on conflict do nothing' }, [keyId])
