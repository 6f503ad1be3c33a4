/** The number of a person: given by a proof, changed, removed. Whoever loses one hears of it. */
import { queueLetter } from '#account/letters'
import { lockPerson, type Person, personById, provenAddresses } from '#account/people'
import type { Tx } from '#platform/db'
import type { PhonesApp } from './app.ts'
import { maskedNumber } from './number.ts'
import { queueChanged } from './queue.ts'
import { deletePhone, insertPhone, lockNumber, personByPhone, phoneOf } from './store.ts'

/** What became of the number of a person; `taken`: somebody else has proven it. */
export type PhoneChange = 'added' | 'changed' | 'removed' | 'taken'

/** Locks a number, then a person and whoever has the number now, in one order. Returns the holder. */
export async function lockForNumber(tx: Tx, personId: string, number: string): Promise<Person | undefined> {
  await lockNumber(tx, number)
  const holder = await personByPhone(tx, number)
  const ids = new Set([personId, ...(holder ? [holder.personId] : [])])
  for (const id of [...ids].sort()) await lockPerson(tx, id)
  return personByPhone(tx, number)
}

/**
 * Gives a number to the person who has just proven it, in place of the one before. Numbers come to other people when their owners give them up, so one that
 * belongs to somebody else is taken from them. Call it under `lockForNumber`. Returns the number before, and from whom it was taken.
 */
export async function givePhone(
  app: PhonesApp,
  tx: Tx,
  { person, number, holder }: { person: Person; number: string; holder: Person | undefined },
  now: Date,
): Promise<{ before: string | null; takenFrom: Person | undefined }> {
  const before = await phoneOf(tx, person.personId)
  if (before === number) return { before, takenFrom: undefined }
  const takenFrom = holder?.personId === person.personId ? undefined : holder
  if (takenFrom) {
    await deletePhone(tx, takenFrom.personId)
    await notify(app, tx, takenFrom, { number, change: 'taken' }, now)
  }
  await deletePhone(tx, person.personId)
  await insertPhone(tx, number, person.personId, now)
  if (before !== null) await queueChanged(app, tx, { number: before, personId: person.personId }, now)
  await notify(app, tx, person, { number, change: before === null ? 'added' : 'changed' }, now)
  return { before, takenFrom }
}

/** Removes the number of a person, which hears of it, and returns it; undefined where there is none. */
export async function removePhone(
  app: PhonesApp,
  tx: Tx,
  personId: string,
  now: Date,
): Promise<string | undefined> {
  const person = await personById(tx, personId)
  const number = person && (await deletePhone(tx, personId))
  if (!person || number === undefined) return undefined
  await queueChanged(app, tx, { number, personId }, now)
  await notify(app, tx, person, { number, change: 'removed' }, now)
  return number
}

/** Tells all proven addresses of a person. */
async function notify(
  app: PhonesApp,
  tx: Tx,
  { personId, locale }: Person,
  { number, change }: { number: string; change: PhoneChange },
  now: Date,
): Promise<void> {
  const data = { numberMasked: maskedNumber(number), change, at: now }
  for (const to of await provenAddresses(tx, personId))
    await queueLetter(app, tx, { to, personId, kind: 'phone_changed', locale, data }, now)
}
