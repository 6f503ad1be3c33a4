import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'

declare module '#platform/db' {
  interface Tables {
    'people.factors': FactorRow
    'people.recovery_codes': RecoveryCodeRow
  }
}

export interface FactorRow {
  person_id: string
  factor_id: string
  kind: FactorKind
  name: string
  /** Of totp: the secret, sealed, and the last step whose code was used. */
  secret_sealed: string | null
  last_step: bigint | null
  /** Of passkeys: base64url, as browsers write it. */
  credential_id: string | null
  /** The bytes have the form of COSE. */
  public_key: Buffer | null
  counter: bigint | null
  transports: string[] | null
  is_backed_up: boolean | null
  created_at: Date
  /** Null until its first code was right; it is no factor before. */
  confirmed_at: Date | null
  last_used_at: Date | null
}

interface RecoveryCodeRow {
  person_id: string
  hash: Buffer
  created_at: Date
  used_at: Date | null
}

export type FactorKind = 'totp' | 'passkey'

export type TotpRow = FactorRow & { kind: 'totp'; secret_sealed: string }
export type PasskeyRow = FactorRow & {
  kind: 'passkey'
  credential_id: string
  public_key: Buffer
  counter: bigint
}

/** A person has at most so many factors, those that wait for their first code included. */
export const maxFactors = 20

const factors = (db: Db | Tx) => ('kysely' in db ? db.kysely : db).selectFrom('people.factors').selectAll()

/** The confirmed factors of a person, oldest first. */
export const confirmedFactors = (db: Db | Tx, personId: string): Promise<FactorRow[]> =>
  factors(db)
    .where('person_id', '=', personId)
    .where('confirmed_at', 'is not', null)
    .orderBy('created_at')
    .orderBy('factor_id')
    .execute()

export const findFactor = (db: Db | Tx, personId: string, factorId: string): Promise<FactorRow | undefined> =>
  factors(db).where('person_id', '=', personId).where('factor_id', '=', factorId).executeTakeFirst()

/** The passkey with this credential; undefined where nobody who still exists has it. */
export const findPasskey = (db: Db | Tx, credentialId: string): Promise<PasskeyRow | undefined> =>
  factors(db)
    .where('credential_id', '=', credentialId)
    .where('kind', '=', 'passkey')
    .where(sql<boolean>`exists (select from people.people p
      where p.person_id = people.factors.person_id and p.deleted_at is null)`)
    .executeTakeFirst() as Promise<PasskeyRow | undefined>

/** Changes of the factors of one person wait for each other. Returns false if the person does not exist. */
export async function lockFactors(tx: Tx, personId: string): Promise<boolean> {
  const { rows } = await sql`select from people.people
    where person_id = ${personId} and deleted_at is null for no key update`.execute(tx)
  return rows.length === 1
}

export async function countFactors(tx: Tx, personId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from people.factors
    where person_id = ${personId}`.execute(tx)
  return rows[0]!.count
}

/** Returns false if somebody has a passkey with this credential already. */
export async function insertFactor(tx: Tx, row: FactorRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('people.factors')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes the apps of a person that wait for their first code, so that one waits at a time. */
export const deleteUnconfirmed = (tx: Tx, personId: string) =>
  tx
    .deleteFrom('people.factors')
    .where('person_id', '=', personId)
    .where('confirmed_at', 'is', null)
    .execute()

/**
 * Marks the step of a code as used, and confirms the factor where it waits for that. Returns false if the step, or one after it, was used before:
 * of requests at the same time one gets true, because the row is locked and the condition is checked again after the lock.
 */
export async function useStep(
  tx: Tx,
  { person_id: personId, factor_id: factorId }: FactorRow,
  step: number,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`update people.factors
    set last_step = ${step}, last_used_at = ${now}, confirmed_at = coalesce(confirmed_at, ${now})
    where person_id = ${personId} and factor_id = ${factorId} and (last_step is null or last_step < ${step})
    returning factor_id`.execute(tx)
  return rows.length === 1
}

/**
 * Stores the counter of a passkey's assertion. Returns false if it did not grow: the key was copied, and its copy was used. Passkeys that are kept
 * in a cloud count nothing and always say 0.
 */
export async function useCounter(
  tx: Tx,
  { person_id: personId, factor_id: factorId }: FactorRow,
  { counter, isBackedUp }: { counter: number; isBackedUp: boolean },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`update people.factors
    set counter = ${counter}, is_backed_up = ${isBackedUp}, last_used_at = ${now}
    where person_id = ${personId} and factor_id = ${factorId} and (counter < ${counter} or (counter = 0 and ${counter} = 0))
    returning factor_id`.execute(tx)
  return rows.length === 1
}

/** Returns false if the person has no confirmed factor with this id. */
export async function renameFactor(
  tx: Tx,
  personId: string,
  factorId: string,
  name: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('people.factors')
    .set({ name })
    .where('person_id', '=', personId)
    .where('factor_id', '=', factorId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Deletes one factor, or all of a person. Returns those that were confirmed. */
export async function deleteFactors(tx: Tx, personId: string, factorId?: string): Promise<FactorRow[]> {
  const rows = await tx
    .deleteFrom('people.factors')
    .where('person_id', '=', personId)
    .$if(factorId !== undefined, (query) => query.where('factor_id', '=', factorId!))
    .returningAll()
    .execute()
  return rows.filter(({ confirmed_at: confirmedAt }) => confirmedAt !== null)
}

/** Puts new recovery codes in the place of those before. */
export async function replaceRecoveryCodes(
  tx: Tx,
  personId: string,
  hashes: readonly Buffer[],
  now: Date,
): Promise<void> {
  await tx.deleteFrom('people.recovery_codes').where('person_id', '=', personId).execute()
  if (hashes.length === 0) return
  const rows = hashes.map((hash) => ({ person_id: personId, hash, created_at: now, used_at: null }))
  await tx.insertInto('people.recovery_codes').values(rows).execute()
}

/** Uses a recovery code up. Of requests at the same time one gets true. */
export async function useRecoveryCode(tx: Tx, personId: string, hash: Buffer, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('people.recovery_codes')
    .set({ used_at: now })
    .where('person_id', '=', personId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function countRecoveryCodes(db: Db | Tx, personId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from people.recovery_codes
    where person_id = ${personId} and used_at is null`.execute('kysely' in db ? db.kysely : db)
  return rows[0]!.count
}
