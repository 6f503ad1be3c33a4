/** SQL of client secrets: each begins a few calls in the name of its key. Only hashes are stored. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { exactText } from '#platform/json'

declare module '#platform/db' {
  interface Tables {
    'realtime.client_secrets': ClientSecretRow
  }
}

export interface ClientSecretRow {
  account_id: string
  /** The hash in SHA-256. */
  secret_hash: Buffer
  project_id: string
  key_id: string
  /** The session in which it was made; null for one that a key made. */
  session_id: string | null
  model: string | null
  agent_id: string | null
  session: Record<string, unknown>
  store: boolean
  calls_left: number
  created_at: Date
  expires_at: Date
}

export const insertClientSecret = (tx: Tx, row: ClientSecretRow): Promise<unknown> =>
  tx
    .insertInto('realtime.client_secrets')
    .values({ ...row, session: sql`${exactText(row.session)}::json` as never })
    .execute()

/** The client secret with this hash; undefined where it is unknown or has expired. */
export async function findClientSecret(
  db: Db,
  secretHash: Buffer,
  now: Date,
): Promise<ClientSecretRow | undefined> {
  const [row] = await db.query<ClientSecretRow>(
    {
      name: 'realtime.client_secret',
      text: 'select * from realtime.client_secrets where secret_hash = $1 and expires_at > $2',
    },
    [secretHash, now],
  )
  return row
}

/** Takes one of the secret's calls, in the transaction that begins the call. Returns false where none is left, or the secret has expired. */
export async function consumeSecretCall(tx: Tx, secretHash: Buffer, now: Date): Promise<boolean> {
  const { rows } = await sql`update realtime.client_secrets set calls_left = calls_left - 1
    where secret_hash = ${secretHash} and calls_left > 0 and expires_at > ${now} returning 1`.execute(tx)
  return rows.length > 0
}

export const deleteExpiredSecrets = (db: Db, now: Date): Promise<unknown> =>
  db.query(
    { name: 'realtime.expired_secrets', text: 'delete from realtime.client_secrets where expires_at < $1' },
    [now],
  )
