/** Ceremonies: a browser that was sent to a provider, and what it must bring back, once and within ten minutes. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#platform/db'
import { type Secrets, sha256 } from '#platform/secrets'
import type { Expectation } from './provider.ts'

export const ceremonyMs = 10 * 60_000
/** The most rows that one statement deletes. */
const maxDeleted = 1_000

/** What the person wants of the provider. */
export type Purpose = 'sign_in' | 'link' | 'step_up'

export interface Ceremony {
  purpose: Purpose
  /** The provider's id in the configuration. */
  provider: string
  /** The session in which it was begun; absent for a sign-in. */
  session: { personId: string; sessionId: string } | undefined
  /** The page to go to. */
  returnTo: string | undefined
  /** The token of an invitation's link. */
  invitation: string | undefined
}

export interface CeremonyApp {
  db: Db
  secrets: Secrets
}

interface CeremonyData {
  provider: string
  sessionId?: string | undefined
  /** The secrets of the flow, the token of the invitation, and the page to go to, which may hold a token too. */
  sealed: string
}

type CeremonySecrets = Pick<Expectation, 'nonce' | 'verifier'> &
  Pick<Partial<Ceremony>, 'returnTo' | 'invitation'>

/**
 * Begins a ceremony of the browser. Nonce and verifier are random and sealed, and of the state only the hash is stored: whoever reads the table can
 * end no ceremony. Throws SECRETS_SEALED.
 */
export async function beginCeremony(
  { db, secrets }: CeremonyApp,
  { purpose, provider, session, returnTo, invitation }: Ceremony,
  browserHash: Buffer,
  now: Date,
): Promise<Omit<Expectation, 'redirectUri'>> {
  const random = (): string => randomBytes(32).toString('base64url')
  const [state, nonce, verifier] = [random(), random(), random()]
  const hash = sha256(state)
  const sealed = await secrets.seal(
    JSON.stringify({ nonce, verifier, returnTo, invitation } satisfies CeremonySecrets),
    sealedFor(hash),
  )
  const kept: CeremonyData = { provider, sessionId: session?.sessionId, sealed }
  await sql`insert into people.ceremonies (hash, purpose, browser_hash, person_id, data, created_at, expires_at)
    values (${hash}, ${`openid_${purpose}`}, ${browserHash}, ${session?.personId ?? null}, ${JSON.stringify(kept)},
      ${now}, ${new Date(now.getTime() + ceremonyMs)})`.execute(db.kysely)
  return { state, nonce, verifier }
}

/**
 * Ends the ceremony with this state, in a transaction of its own before anything is requested: of two answers with one state only one is looked at.
 * Undefined where there is none: it was ended before, is too old, or was begun in another browser, which cannot end it.
 */
export async function endCeremony(
  { db, secrets }: CeremonyApp,
  state: string,
  browserHash: Buffer,
  now: Date,
): Promise<(Ceremony & { expectation: Omit<Expectation, 'redirectUri'> }) | undefined> {
  const hash = sha256(state)
  const { rows } = await sql<{ purpose: string; person_id: string | null; data: CeremonyData }>`
    delete from people.ceremonies
    where hash = ${hash} and browser_hash = ${browserHash} and expires_at > ${now} and purpose like 'openid\_%'
    returning purpose, person_id, data`.execute(db.kysely)
  const [row] = rows
  if (!row) return undefined
  const { provider, sessionId, sealed } = row.data
  const { returnTo, invitation, ...secret } = JSON.parse(
    await secrets.open(sealed, sealedFor(hash)),
  ) as CeremonySecrets
  return {
    purpose: row.purpose.slice('openid_'.length) as Purpose,
    provider,
    session:
      row.person_id !== null && sessionId !== undefined ? { personId: row.person_id, sessionId } : undefined,
    returnTo,
    invitation,
    expectation: { state, ...secret },
  }
}

/** Deletes ceremonies that are too old, some at a time. Returns how many they were. */
export async function deleteOldCeremonies({ kysely }: Pick<Db, 'kysely'>, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`delete from people.ceremonies where hash in (
    select hash from people.ceremonies where purpose like 'openid\_%' and expires_at <= ${now}
    limit ${maxDeleted})`.execute(kysely)
  return Number(numAffectedRows)
}

const sealedFor = (hash: Buffer): string => `openid/${hash.toString('hex')}`
