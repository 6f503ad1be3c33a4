import type { Db } from '#platform/db'

/** What the database stores about the key that seals its secrets. */
export interface Seal {
  key_id: string
  /** A text sealed by this key; null if an earlier release has claimed the key. */
  proof: string | null
}

/** Reads the seal; undefined if nothing was ever sealed, and before the first migration. */
export async function readSeal(db: Db, timeoutMs?: number): Promise<Seal | undefined> {
  const [{ here } = { here: false }] = await db.query<{ here: boolean }>(
    { text: `select to_regclass('secrets.seal') is not null as here`, ...(timeoutMs && { timeoutMs }) },
    [],
  )
  if (!here) return undefined
  // The doctor may read a database that this release has not migrated yet.
  const text = `select key_id, to_jsonb(s) ->> 'proof' as proof from secrets.seal s`
  const [row] = await db.query<Seal>({ text, ...(timeoutMs && { timeoutMs }) }, [])
  return row
}

/** Makes this the key of the database, unless it already has one. */
export const claimKeyId = (db: Db, { key_id, proof }: Seal): Promise<unknown> =>
  db.query({ text: 'insert into secrets.seal (key_id, proof) values ($1, $2) on conflict do nothing' }, [
    key_id,
    proof,
  ])

/** Adds the proof for a key that an earlier release has claimed. */
export const addProof = (db: Db, { key_id, proof }: Seal): Promise<unknown> =>
  db.query({ text: 'update secrets.seal set proof = $2 where key_id = $1 and proof is null' }, [
    key_id,
    proof,
  ])
