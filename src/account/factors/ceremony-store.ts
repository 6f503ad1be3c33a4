/**
 * Ceremonies of WebAuthn: what a browser asks of a passkey, once and within five minutes. The challenge is bound to the browser that asked for it, so
 * that an answer which was made for another one is worth nothing.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { sha256 } from '#platform/secrets'

export const ceremonyMs = 5 * 60_000

/** What the answer of a passkey is for. One that was asked for one purpose is none for another. */
export type CeremonyPurpose = 'passkey_registration' | 'passkey_sign_in' | 'passkey_step_up'

export interface Ceremony {
  purpose: CeremonyPurpose
  /** The hash of the cookie that names the browser. */
  browserHash: Buffer
  /** Whose passkey is asked for; null where that is unknown. */
  personId: string | null
}

/** Returns the challenge, base64url of 32 random bytes. Only its hash is stored. */
export async function beginCeremony(tx: Tx, ceremony: Ceremony, now: Date): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  const { purpose, browserHash, personId } = ceremony
  await sql`insert into people.ceremonies (hash, purpose, browser_hash, person_id, data, created_at, expires_at)
    values (${sha256(challenge)}, ${purpose}, ${browserHash}, ${personId}, '{}', ${now},
      ${new Date(now.getTime() + ceremonyMs)})`.execute(tx)
  return challenge
}

/**
 * Ends the ceremony with this challenge. Returns false if there is none: it was ended before, is too old, or was begun in another browser, by another
 * person or for another purpose. Whoever knows the challenge of somebody else cannot end it.
 */
export async function endCeremony(
  { kysely }: Pick<Db, 'kysely'>,
  challenge: string,
  { purpose, browserHash, personId }: Ceremony,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`delete from people.ceremonies
    where hash = ${sha256(challenge)} and purpose = ${purpose} and browser_hash = ${browserHash}
      and person_id is not distinct from ${personId}::uuid and expires_at > ${now}
    returning hash`.execute(kysely)
  return rows.length === 1
}

/** The most rows that one statement deletes. */
const maxDeleted = 1_000

/** Deletes ceremonies that are too old, some at a time. Returns how many they were. */
export async function deleteOldCeremonies({ kysely }: Pick<Db, 'kysely'>, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`delete from people.ceremonies where hash in (
    select hash from people.ceremonies where purpose like 'passkey\_%' and expires_at <= ${now}
    limit ${maxDeleted})`.execute(kysely)
  return Number(numAffectedRows)
}
