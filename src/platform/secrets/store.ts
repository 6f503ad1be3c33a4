import type { Db } from '#platform/db'

/** What the database knows of the key that seals its secrets. */
export interface Seal {
  key_id: string
  /** A text that this key has sealed; null where an earlier release has claimed the key. */
  proof: string | null
}

/** Undefined while nothing was ever sealed, and before the first migration. */
export async function readSeal(db: Db, timeoutMs?: number): Promise<Seal | undefined> {
  const [{ here } = { here: false }] = await db.query<{ here: boolean }>(
    { text: `select to_regclass('secrets.seal') is not null as here`, ...(timeoutMs && { timeoutMs }) },
    [],
  )
  if (!here) return undefined
  // The doctor may look at a database that this release has not migrated yet.
  const text = `select key_id, to_jsonb(s) ->> 'proof' as proof from secrets.seal s`
  const [row] = await db.query<Seal>({ text, ...(timeoutMs && { timeoutMs }) }, [])
  return row
}

/** Makes it the key of this database, unless there is one. */
export const claimKeyId = (db: Db, { key_id, proof }: Seal): Promise<unknown> =>
  db.query({ text: 'insert into secrets.seal (key_id, proof) values ($1, $2) on conflict do nothing' }, [
    key_id,
    proof,
  ])

/** For a database whose key an earlier release has claimed. */
export const addProof = (db: Db, { key_id, proof }: Seal): Promise<unknown> =>
  db.query({ text: 'update secrets.seal set proof = $2 where key_id = $1 and proof is null' }, [
    key_id,
    proof,
  ])
