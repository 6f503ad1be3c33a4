/** One-time links that an operator hands out. Only the SHA-256 of their token is stored. */
import { sql } from 'kysely'
import { hashToken, newToken } from '#account/sign-in'
import type { Db, Tx } from '#platform/db'

/**
 * `first_operator`: makes whoever follows it the operator and the owner of the first account. `operator`: makes the person with the address of its data
 * an operator. `operator_reset`: lets its person set a new password.
 */
export type OperatorLinkPurpose = 'first_operator' | 'operator' | 'operator_reset'

export const linkPurposes: readonly OperatorLinkPurpose[] = ['first_operator', 'operator', 'operator_reset']

export const linkPrefix = 'khl_'
const dayMs = 86_400_000
/** How long a link is valid. */
const lifetimeMs: Record<OperatorLinkPurpose, number> = {
  first_operator: dayMs,
  operator: 7 * dayMs,
  operator_reset: dayMs,
}

export interface OperatorLink {
  hash: Buffer
  purpose: OperatorLinkPurpose
  person_id: string | null
  data: { email?: string }
  expires_at: Date
}

/** Makes a link and returns its token, which is not stored. */
export async function insertLink(
  tx: Tx,
  { purpose, personId, email }: { purpose: OperatorLinkPurpose; personId?: string; email?: string },
  now: Date,
): Promise<string> {
  const token = newToken(linkPrefix)
  const expiresAt = new Date(now.getTime() + lifetimeMs[purpose])
  await sql`insert into people.links (hash, purpose, person_id, data, created_at, expires_at)
    values (${hashToken(token)}, ${purpose}, ${personId ?? null}, ${JSON.stringify({ email })}, ${now}, ${expiresAt})`.execute(
    tx,
  )
  return token
}

const open = (token: string, now: Date) => sql<OperatorLink>`
  select hash, purpose, person_id, data, expires_at from people.links
  where hash = ${hashToken(token)} and purpose = any(${linkPurposes as OperatorLinkPurpose[]})
    and used_at is null and expires_at > ${now}`

/** The link of this token, if it can still be used. */
export async function findLink(db: Db | Tx, token: string, now: Date): Promise<OperatorLink | undefined> {
  const { rows } = await open(token, now).execute('kysely' in db ? db.kysely : db)
  return rows[0]
}

/** The same, locked: of several who redeem a link at once, the first finds it. */
export async function lockLink(tx: Tx, token: string, now: Date): Promise<OperatorLink | undefined> {
  const { rows } = await sql<OperatorLink>`${open(token, now)} for update`.execute(tx)
  return rows[0]
}

/** Ends every open link of this purpose: of a person, with this address, or of nobody in particular. */
export async function endLinks(
  tx: Tx,
  { purpose, personId, email }: { purpose: OperatorLinkPurpose; personId?: string; email?: string },
  now: Date,
): Promise<void> {
  await sql`update people.links set used_at = ${now}
    where purpose = ${purpose} and used_at is null and person_id is not distinct from ${personId ?? null}::uuid
      and data ->> 'email' is not distinct from ${email ?? null}::text`.execute(tx)
}

/** When the newest open link of the first person was made. */
export async function newestFirstLink(tx: Tx, now: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ created_at: Date }>`select created_at from people.links
    where purpose = 'first_operator' and used_at is null and expires_at > ${now}
    order by created_at desc limit 1`.execute(tx)
  return rows[0]?.created_at
}
