/** How many text messages go to one number, and how many on one day. */
import { queueLetter } from '#account/letters'
import { operators, provenAddresses } from '#account/people'
import type { Config } from '#platform/config'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { PhonesApp } from './app.ts'
import { codesSince, countOfDay, takeOfDay } from './store.ts'
import './errors.ts'

/** Two codes to one number are at least so many milliseconds apart. */
export const pauseMs = 60_000
const hourMs = 60 * 60_000
/** Codes to one number in an hour; so many of them are kept for browsers in which its person has signed in. */
const ofNumber = { max: 5, own: 2 }

/** The most messages of a day, and how many of them may go to numbers that nobody has proven: a stranger can name any such number. */
const ofDay = ({ sms }: Pick<Config, 'sms'>): { max: number; maxNew: number } => {
  const max = sms?.dailyMessages ?? 0
  return { max, maxNew: Math.ceil(max / 2) }
}

/** Throws SMS_UNAVAILABLE (503) for every number alike, where there is no gateway, or the messages of the day are spent. */
export async function requireSms(
  { config, db }: { config: Pick<Config, 'sms'>; db: Db },
  isNewNumber: boolean,
  now: Date,
): Promise<void> {
  if (config.sms === undefined) return fail('SMS_UNAVAILABLE', { lacks: 'gateway' })
  const { max, maxNew } = ofDay(config)
  const { messages, new_numbers: newNumbers } = await countOfDay(db, now)
  if (messages >= max || (isNewNumber && newNumbers >= maxNew)) fail('SMS_UNAVAILABLE', { lacks: 'messages' })
}

/** Whether one code more goes to the number. */
export async function hasRoomForCode(tx: Tx, number: string, isOwn: boolean, now: Date): Promise<boolean> {
  const earlier = await codesSince(tx, number, new Date(now.getTime() - hourMs))
  const isTooSoon = (earlier[0]?.getTime() ?? -Infinity) > now.getTime() - pauseMs
  return !isTooSoon && earlier.length < ofNumber.max - (isOwn ? 0 : ofNumber.own)
}

/** Counts a message of the day; false where none is left. Operators are told by a letter once the last one is taken. */
export async function takeMessage(app: PhonesApp, tx: Tx, isNewNumber: boolean, now: Date): Promise<boolean> {
  const { max, maxNew } = ofDay(app.config)
  const taken = await takeOfDay(tx, { isNewNumber, max, maxNew }, now)
  if (taken === max) await notifySpent(app, tx, max, now)
  return taken !== undefined
}

async function notifySpent(app: PhonesApp, tx: Tx, messages: number, now: Date): Promise<void> {
  for (const { personId, locale } of await operators(tx))
    for (const to of await provenAddresses(tx, personId))
      await queueLetter(
        app,
        tx,
        { to, personId, locale, kind: 'sms_spent', data: { messages, at: now } },
        now,
      )
}
