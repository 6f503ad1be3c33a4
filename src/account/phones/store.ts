import { sql } from 'kysely'
import { type Person, personById } from '#account/people'
import type { Db, Tx } from '#platform/db'

export type TextState = 'queued' | 'begun' | 'sent' | 'refused' | 'unknown' | 'expired'

export interface TextRow {
  message_id: string
  person_id: string | null
  number: string
  kind: 'code' | 'changed'
  code_sealed: string | null
  state: TextState
  created_at: Date
  expires_at: Date
}

const of = (db: Db | Tx) => ('kysely' in db ? db.kysely : db)

/** The person who has proven this number (E.164). */
export async function personByPhone(db: Db | Tx, number: string): Promise<Person | undefined> {
  const { rows } = await sql<{ person_id: string }>`select person_id from people.phones
    where number = ${number}`.execute(of(db))
  return rows[0] && personById(db, rows[0].person_id)
}

/** The number of a person, in E.164; null where there is none. */
export async function phoneOf(db: Db | Tx, personId: string): Promise<string | null> {
  const { rows } = await sql<{ number: string }>`select number from people.phones
    where person_id = ${personId}`.execute(of(db))
  return rows[0]?.number ?? null
}

/** Whether the person with this number has signed in by this browser. The same query for a number that nobody has. */
export async function isBrowserOfPhone(db: Db, number: string, browserHash: Buffer): Promise<boolean> {
  const { rows } = await sql`select from people.devices d join people.phones p using (person_id)
    where p.number = ${number} and d.hash = ${browserHash}`.execute(db.kysely)
  return rows.length > 0
}

/** Lets whoever asks for the same number or proves it wait for the end of the transaction. It comes before every other lock. */
export const lockNumber = (tx: Tx, number: string) =>
  sql`select pg_advisory_xact_lock(hashtext('people.phones'), hashtext(${number}))`.execute(tx)

/** Removes the number of a person, and returns it. */
export async function deletePhone(tx: Tx, personId: string): Promise<string | undefined> {
  const { rows } = await sql<{ number: string }>`delete from people.phones where person_id = ${personId}
    returning number`.execute(tx)
  return rows[0]?.number
}

/** Gives a number to a person who has none. */
export async function insertPhone(tx: Tx, number: string, personId: string, now: Date): Promise<void> {
  await sql`insert into people.phones (number, person_id, proven_at)
    values (${number}, ${personId}, ${now})`.execute(tx)
}

/** Locks the count of a number until the transaction ends, and returns when codes were sent to it since, newest first. */
export async function codesSince(tx: Tx, number: string, since: Date): Promise<Date[]> {
  await sql`select pg_advisory_xact_lock(hashtext('people.text_messages'), hashtext(${number}))`.execute(tx)
  const { rows } = await sql<{ created_at: Date }>`select created_at from people.text_messages
    where number = ${number} and kind = 'code' and created_at > ${since} order by created_at desc`.execute(tx)
  return rows.map(({ created_at: at }) => at)
}

export interface DayCount {
  messages: number
  new_numbers: number
}

/** The sums of a day (UTC), which lapse with it. */
export async function countOfDay(db: Db, now: Date): Promise<DayCount> {
  const { rows } = await sql<DayCount>`select messages, new_numbers from people.text_message_days
    where day = ${dayOf(now)}`.execute(db.kysely)
  return rows[0] ?? { messages: 0, new_numbers: 0 }
}

/** Counts one message more, if the day has room for it, and returns the sum; of two processes that take the last one, one gets it. */
export async function takeOfDay(
  tx: Tx,
  { isNewNumber, max, maxNew }: { isNewNumber: boolean; max: number; maxNew: number },
  now: Date,
): Promise<number | undefined> {
  const { rows } = await sql<{ messages: number }>`
    insert into people.text_message_days as d (day, messages, new_numbers)
    values (${dayOf(now)}, 1, ${isNewNumber ? 1 : 0})
    on conflict (day) do update set messages = d.messages + 1, new_numbers = d.new_numbers + excluded.new_numbers
      where d.messages < ${max} and (excluded.new_numbers = 0 or d.new_numbers < ${maxNew})
    returning messages`.execute(tx)
  return rows[0]?.messages
}

const dayOf = (now: Date): string => now.toISOString().slice(0, 10)

export async function insertText(tx: Tx, row: TextRow): Promise<void> {
  await sql`insert into people.text_messages
      (message_id, person_id, number, kind, code_sealed, state, created_at, expires_at)
    values (${row.message_id}, ${row.person_id}, ${row.number}, ${row.kind}, ${row.code_sealed}, ${row.state},
      ${row.created_at}, ${row.expires_at})`.execute(tx)
}

/**
 * Records that the gateway is about to be asked, and returns the message; undefined where it was begun before or has ended. Committed before the gateway is
 * asked, so that a message is sent at most once.
 */
export async function beginText(db: Db, messageId: string): Promise<TextRow | undefined> {
  const { rows } = await sql<TextRow>`update people.text_messages set state = 'begun'
    where message_id = ${messageId} and state = 'queued'
    returning message_id, person_id, number, kind, code_sealed, state, created_at, expires_at`.execute(
    db.kysely,
  )
  return rows[0]
}

/** Lets a message that never reached the gateway be begun again. */
export async function requeueText(db: Db, messageId: string): Promise<void> {
  await sql`update people.text_messages set state = 'queued'
    where message_id = ${messageId} and state = 'begun'`.execute(db.kysely)
}

/**
 * Ends a message, which loses its code. One that another process took for dead is `unknown` by then, and gets its true end from the process that sent it.
 */
export async function endText(
  db: Db,
  messageId: string,
  state: Exclude<TextState, 'queued' | 'begun'>,
  now: Date,
): Promise<void> {
  const before = state === 'unknown' ? ['begun'] : ['queued', 'begun', 'unknown']
  await sql`update people.text_messages set state = ${state}, code_sealed = null, ended_at = ${now}
    where message_id = ${messageId} and state = any(${before})`.execute(db.kysely)
}
