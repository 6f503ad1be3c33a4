/** Codes of six digits that are mailed or sent to a phone: each is valid once, for its purpose and address, in the browser that asked for it. */
import { sql } from 'kysely'
import { matchCode, maxCodeTries, newCode, typedCode } from '#account/sign-in'
import type { Tx } from '#platform/db'
import type { Secrets, Signer } from '#platform/secrets'

export type CodePurpose =
  | 'sign_in'
  | 'sign_up'
  | 'step_up'
  | 'email_change'
  | 'phone_sign_in'
  | 'phone_change'

/** How long a code is valid. What confirms a new address may wait for a slow mailbox. */
export const codeMinutes: Record<CodePurpose, number> = {
  sign_in: 5,
  step_up: 5,
  sign_up: 10,
  email_change: 10,
  phone_sign_in: 5,
  phone_change: 5,
}

export interface CodePlace {
  purpose: CodePurpose
  /** The address, or the number in E.164, to which the code is sent; normalised. */
  email: string
  browserHash: Buffer
}

interface CodeRow {
  code_hash: Buffer
  person_id: string | null
  data: Record<string, unknown>
  tries: number
}

const signerOf = ({ secrets }: { secrets: Secrets }): Promise<Signer> => secrets.signer('code of a person')

const hashOf = (signer: Signer, { purpose, email, browserHash }: CodePlace, code: string): Buffer =>
  signer(Buffer.from(`${purpose}\0${email}\0${browserHash.toString('base64')}\0${code}`))

export interface NewCode {
  personId?: string | null | undefined
  /** What it confirms; secrets in it are sealed or hashed. */
  data?: Record<string, unknown>
  /** Queues the letter or the text message with the code; absent where nobody gets it. */
  mail?: ((code: string) => Promise<'queued' | 'limited'>) | undefined
}

/** Mails a new code, which takes the place of an earlier one; where no more mails go to the address, the earlier one stays valid. */
export async function issueCode(
  app: { secrets: Secrets },
  tx: Tx,
  place: CodePlace,
  { personId = null, data = {}, mail }: NewCode,
  now: Date,
): Promise<void> {
  const { purpose, email, browserHash } = place
  const code = newCode()
  if ((await mail?.(code)) === 'limited') return
  const hash = hashOf(await signerOf(app), place, code)
  const expiresAt = new Date(now.getTime() + codeMinutes[purpose] * 60_000)
  await sql`insert into people.codes
      (purpose, email, browser_hash, code_hash, person_id, data, tries, created_at, expires_at)
    values (${purpose}, ${email}, ${browserHash}, ${hash}, ${personId}, ${JSON.stringify(data)}, 0, ${now}, ${expiresAt})
    on conflict (purpose, email, browser_hash) do update set code_hash = excluded.code_hash,
      person_id = excluded.person_id, data = excluded.data, tries = 0,
      created_at = excluded.created_at, expires_at = excluded.expires_at`.execute(tx)
}

/**
 * Uses a code up and returns what it confirms; undefined for a wrong one, which is counted: let the transaction commit. Of several requests with one
 * code, one gets it.
 */
export async function takeCode(
  app: { secrets: Secrets },
  tx: Tx,
  place: CodePlace,
  code: string,
  now: Date,
): Promise<Pick<CodeRow, 'person_id' | 'data'> | undefined> {
  const { purpose, email, browserHash } = place
  const ofPlace = sql`purpose = ${purpose} and email = ${email} and browser_hash = ${browserHash}`
  const { rows } = await sql<CodeRow>`select code_hash, person_id, data, tries from people.codes
    where ${ofPlace} and expires_at > ${now} and tries < ${maxCodeTries} for update`.execute(tx)
  const given = hashOf(await signerOf(app), place, typedCode(code))
  const found = matchCode(rows, (row) => row.code_hash, given)
  if (found) await sql`delete from people.codes where ${ofPlace}`.execute(tx)
  else await sql`update people.codes set tries = tries + 1 where ${ofPlace}`.execute(tx)
  return found
}

/** Drops what waits for the proof of this address, in every browser: somebody has proven it, and nothing that was typed before counts. */
export const dropSignUps = (tx: Tx, email: string) =>
  sql`delete from people.codes where purpose = 'sign_up' and email = ${email}`.execute(tx)

/** Drops the codes of a person, who has changed what they sign in with. */
export const dropCodesOf = (tx: Tx, personId: string) =>
  sql`delete from people.codes where person_id = ${personId}`.execute(tx)
