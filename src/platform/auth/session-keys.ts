/** The keys by which sessions pay: one for each person and project, without a secret (docs/decisions/account/people.md). */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { openMeter } from '#platform/ledger'
import { scopes } from './scopes.ts'

/**
 * Returns the id of the key by which the person pays in the project, and makes the key at the first call. The key of a person who left and came
 * back is the old one, so that what was spent this month still counts against its cap.
 */
export async function openSessionKey(
  tx: Tx,
  accountId: string,
  projectId: string,
  personId: string,
  now: Date,
): Promise<string> {
  // Sessions of one person open the key one after another.
  await sql`select pg_advisory_xact_lock(hashtext('auth session key'), hashtext(${personId}))`.execute(tx)
  const known = await tx
    .selectFrom('auth.keys')
    .select(['key_id', 'revoked_at'])
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .where('person_id', '=', personId)
    .where('kind', '=', 'session')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!known) return insertSessionKey(tx, { accountId, projectId, personId }, now)
  if (known.revoked_at)
    await tx
      .updateTable('auth.keys')
      .set({ revoked_at: null })
      .where('account_id', '=', accountId)
      .where('key_id', '=', known.key_id)
      .execute()
  return known.key_id
}

async function insertSessionKey(
  tx: Tx,
  { accountId, projectId, personId }: { accountId: string; projectId: string; personId: string },
  now: Date,
): Promise<string> {
  const keyId = uuidv7(now.getTime())
  await tx
    .insertInto('auth.keys')
    .values({
      account_id: accountId,
      project_id: projectId,
      key_id: keyId,
      kind: 'session',
      person_id: personId,
      management_key_id: null,
      name: 'session',
      // Nobody knows a text with this hash, so the key cannot be used by itself.
      hash: randomBytes(32),
      hint: '',
      // The rights of a session are those of its person; work that goes on without a session was permitted when it began.
      scopes: [...scopes],
      models: null,
      responses_max_output_tokens: null,
      keep_days: null,
      origins: null,
      expires_at: null,
      revoked_at: null,
      created_at: now,
    })
    .execute()
  await openMeter(tx, accountId, 'key', keyId)
  return keyId
}

/**
 * Ends the keys by which the person pays in the account, and those of the person's devices, except in `keptProjectIds`; null keeps all. Work that
 * was begun by them goes on.
 */
export async function endSessionKeys(
  tx: Tx,
  accountId: string,
  personId: string,
  keptProjectIds: readonly string[] | null,
  now: Date,
): Promise<void> {
  if (keptProjectIds === null) return
  await sql`update auth.keys set revoked_at = ${now}
    where account_id = ${accountId} and person_id = ${personId} and kind <> 'api' and revoked_at is null
      and project_id <> all (${keptProjectIds}::uuid[])`.execute(tx)
}

/** The ids of the keys by which the person pays, or paid before leaving. */
export async function sessionKeyIds(db: Db, personId: string): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ key_id: string }>(
    {
      name: 'auth.session_keys',
      text: `select key_id from auth.keys where person_id = $1 and kind = 'session'`,
    },
    [personId],
  )
  return new Set(rows.map(({ key_id }) => key_id))
}
