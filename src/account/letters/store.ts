import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page, type PageOptions, pageClause } from '#platform/lists'
import type { LetterKind, LetterLocale } from './kinds.ts'

declare module '#platform/db' {
  interface Tables {
    'people.mails': MailRow
  }
}

export type MailState = 'queued' | 'sent' | 'refused' | 'expired' | 'unsent'

export interface MailRow {
  mail_id: string
  person_id: string | null
  address: string
  kind: LetterKind
  locale: LetterLocale
  data_sealed: string
  state: MailState
  created_at: Date
  ended_at: Date | null
}

/** A mail with the time zone of its person; null where it has none. */
export type MailOfPerson = MailRow & { time_zone: string | null }

/** Locks the count of an address until the transaction ends, and returns how many mails of these kinds it was written since. */
export async function countMails(
  tx: Tx,
  { address, kinds, since }: { address: string; kinds: readonly LetterKind[]; since: Date },
): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('people.mails'), hashtext(${address}))`.execute(tx)
  const { rows } = await sql<{ mails: number }>`select count(*)::int as mails from people.mails
    where address = ${address} and created_at > ${since} and kind = any(${kinds})`.execute(tx)
  return rows[0]!.mails
}

/** Inserts a mail; false if it is there already. */
export async function insertMail(tx: Tx, row: MailRow): Promise<boolean> {
  const { rows } = await sql`insert into people.mails
      (mail_id, person_id, address, kind, locale, data_sealed, state, created_at, ended_at)
    values (${row.mail_id}, ${row.person_id}, ${row.address}, ${row.kind}, ${row.locale}, ${row.data_sealed},
      ${row.state}, ${row.created_at}, ${row.ended_at})
    on conflict do nothing returning mail_id`.execute(tx)
  return rows.length === 1
}

const ofPerson = sql`select m.*, p.time_zone from people.mails m left join people.people p using (person_id)`

export async function findMail(
  { kysely }: Pick<Db, 'kysely'>,
  mailId: string,
): Promise<MailOfPerson | undefined> {
  const { rows } = await sql<MailOfPerson>`${ofPerson} where m.mail_id = ${mailId}`.execute(kysely)
  return rows[0]
}

/** Ends a mail that is queued, with what remains of its data. */
export async function endMail(
  { kysely }: Pick<Db, 'kysely'>,
  mailId: string,
  { state, dataSealed, now }: { state: Exclude<MailState, 'queued'>; dataSealed?: string; now: Date },
): Promise<void> {
  await sql`update people.mails set state = ${state}, ended_at = ${now}, data_sealed = coalesce(${dataSealed ?? null}, data_sealed)
    where mail_id = ${mailId} and state = 'queued'`.execute(kysely)
}

/**
 * Whether the link with this hash is known to be used, revoked or over. A hash that nobody knows is not: the letter itself knows when its link ends.
 */
export async function isLinkOver({ kysely }: Pick<Db, 'kysely'>, hash: Buffer, now: Date): Promise<boolean> {
  const { rows } =
    await sql`select from people.links where hash = ${hash} and (used_at is not null or expires_at <= ${now})
    union all
    select from people.invitations where hash = ${hash}
      and (accepted_at is not null or revoked_at is not null or expires_at <= ${now})`.execute(kysely)
  return rows.length > 0
}

/** A page of mails, newest first; the cursor is the id of a mail. */
export async function listMails(
  { kysely }: Pick<Db, 'kysely'>,
  { state }: { state?: MailState | undefined },
  page: Pick<PageOptions, 'limit' | 'after_id'>,
): Promise<Page<MailOfPerson>> {
  const found = await sql<MailOfPerson>`${ofPerson} where true
    ${state === undefined ? sql`` : sql`and m.state = ${state}`} ${pageClause('m.mail_id', page)}`.execute(
    kysely,
  )
  return cutPage(found.rows, page.limit)
}

/** The open invitation whose link has this hash. */
export async function findInvitation(
  tx: Tx,
  hash: Buffer,
  now: Date,
): Promise<{ account_id: string; invitation_id: string } | undefined> {
  const { rows } = await sql<{ account_id: string; invitation_id: string }>`select account_id, invitation_id
    from people.invitations
    where hash = ${hash} and accepted_at is null and revoked_at is null and expires_at > ${now}`.execute(tx)
  return rows[0]
}

/** Those of these hashes, in hexadecimal, that are of open invitations. */
export async function openInvitations(
  { kysely }: Pick<Db, 'kysely'>,
  hashes: readonly string[],
  now: Date,
): Promise<string[]> {
  if (hashes.length === 0) return []
  const { rows } = await sql<{ hash: string }>`select encode(hash, 'hex') as hash from people.invitations
    where hash = any(select decode(given, 'hex') from unnest(${[...hashes]}::text[]) given)
      and accepted_at is null and revoked_at is null and expires_at > ${now}`.execute(kysely)
  return rows.map(({ hash }) => hash)
}
