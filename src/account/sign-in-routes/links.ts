/** Links in mails of this room, which act once. Only the SHA-256 of their token is stored. */
import { sql } from 'kysely'
import { couldBeToken, hashToken, newToken } from '#account/sign-in'
import type { Db, Tx } from '#platform/db'

/**
 * `password_reset`: lets its person set a new password. `email_undo`: brings the address of its data back. `factor_reset_cancel`: keeps the person's
 * second factors, which somebody has asked to remove; the room of factors makes it.
 */
export type LinkPurpose = 'password_reset' | 'email_undo' | 'factor_reset_cancel'

export interface Link {
  hash: Buffer
  purpose: LinkPurpose
  person_id: string
  data: { email?: string }
  expires_at: Date
}

const purposes: LinkPurpose[] = ['password_reset', 'email_undo', 'factor_reset_cancel']

/** Makes a link and returns its token. A link of nobody is worth nothing, and takes as long as another. */
export async function issueLink(
  tx: Tx,
  { purpose, personId, data = {} }: { purpose: LinkPurpose; personId: string | null; data?: Link['data'] },
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<string> {
  const token = newToken('')
  await sql`insert into people.links (hash, purpose, person_id, data, created_at, expires_at)
    values (${hashToken(token)}, ${purpose}, ${personId}, ${JSON.stringify(data)}, ${now}, ${expiresAt})`.execute(
    tx,
  )
  return token
}

const open = (token: string, now: Date) => sql<Link>`
  select hash, purpose, person_id, data, expires_at from people.links
  where hash = ${hashToken(token)} and purpose = any(${purposes}) and person_id is not null
    and used_at is null and expires_at > ${now}`

/** The link of this token, if it can still be used. */
export async function findLink(
  { kysely }: Pick<Db, 'kysely'>,
  token: string,
  now: Date,
): Promise<Link | undefined> {
  if (!couldBeToken('', token)) return undefined
  return (await open(token, now).execute(kysely)).rows[0]
}

/** Uses the link up: of several who do so at once, one gets it. */
export async function takeLink(
  tx: Tx,
  token: string,
  purpose: LinkPurpose,
  now: Date,
): Promise<Link | undefined> {
  if (!couldBeToken('', token)) return undefined
  const { rows } = await sql<Link>`${open(token, now)} for update`.execute(tx)
  if (rows[0]?.purpose !== purpose) return undefined
  await sql`update people.links set used_at = ${now} where hash = ${rows[0].hash}`.execute(tx)
  return rows[0]
}

/** Ends every open link of a person for this purpose. */
export const endLinksOf = (tx: Tx, personId: string, purpose: LinkPurpose, now: Date) =>
  sql`update people.links set used_at = ${now}
    where person_id = ${personId} and purpose = ${purpose} and used_at is null`.execute(tx)
