/** Challenges: first factors that were given by people who have a second one, which is asked for within ten minutes. */
import { sql } from 'kysely'
import type { SessionMethod } from '#account/people'
import { couldBeToken, hashToken, newToken } from '#account/sign-in'
import type { Db, Tx } from '#platform/db'

/** How long the second factor may take, in milliseconds. */
export const challengeMs = 10 * 60_000
/** Of a person's open challenges so many are kept. */
const maxChallenges = 20

export interface Challenge {
  hash: Buffer
  person_id: string
  method: SessionMethod
}

const prefix = 'khf_'

/** Returns the token of a new challenge, for the cookie of the browser. */
export async function openChallenge(
  tx: Tx,
  { personId, method }: { personId: string; method: SessionMethod },
  now: Date,
): Promise<string> {
  const token = newToken(prefix)
  const expiresAt = new Date(now.getTime() + challengeMs)
  await sql`insert into people.challenges (hash, person_id, method, created_at, expires_at)
    values (${hashToken(token)}, ${personId}, ${method}, ${now}, ${expiresAt})`.execute(tx)
  await sql`delete from people.challenges where hash in (
    select hash from people.challenges where person_id = ${personId}
    order by created_at desc, hash offset ${maxChallenges})`.execute(tx)
  return token
}

/** The open challenge of this token. */
export async function findChallenge(
  { kysely }: Pick<Db, 'kysely'>,
  token: string | undefined,
  now: Date,
): Promise<Challenge | undefined> {
  if (token === undefined || !couldBeToken(prefix, token)) return undefined
  const { rows } = await sql<Challenge>`select hash, person_id, method from people.challenges
    where hash = ${hashToken(token)} and expires_at > ${now}`.execute(kysely)
  return rows[0]
}

/** Ends a challenge. Returns false if it has ended meanwhile: of several requests with one challenge, one goes on. */
export async function endChallenge(tx: Tx, { hash }: Challenge): Promise<boolean> {
  const { rows } = await sql`delete from people.challenges where hash = ${hash} returning hash`.execute(tx)
  return rows.length === 1
}

/** Ends all challenges of a person: what was given before is worth nothing from now on. */
export const endChallenges = (tx: Tx, personId: string) =>
  sql`delete from people.challenges where person_id = ${personId}`.execute(tx)
