import type { Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { platformAccount } from '#platform/jobs'
import type { LettersApp } from './app.ts'
import { budgetOf, endOf, type NewLetter } from './kinds.ts'
import { sealLetter } from './seal.ts'
import { letterJob } from './send.ts'
import { countMails, insertMail } from './store.ts'

const hourMs = 60 * 60 * 1000

/**
 * Queues a letter, which is sent after the transaction has committed. Without a mail channel it stays for the operator to see (`unsent`); nothing is
 * thrown for that. Returns `limited`, and queues nothing, where the hourly budget of the kind is used up for the address. Several letters in
 * one transaction must be of kinds that are not counted, or to one address.
 */
export async function queueLetter(
  app: LettersApp,
  tx: Tx,
  letter: NewLetter,
  now: Date,
): Promise<'queued' | 'limited'> {
  const { to: address, personId = null, kind, locale, data, isOwn = false, isNear = false } = letter
  const budget = budgetOf(kind)
  if (budget) {
    const since = new Date(now.getTime() - hourMs)
    const max = budget.max - (isOwn ? 0 : budget.own) - (isOwn || isNear ? 0 : budget.near)
    if ((await countMails(tx, { address, kinds: budget.kinds, since })) >= max) return 'limited'
  }
  const mailId = uuidv7(now.getTime())
  const expiresAt = letter.expiresAt ?? endOf(letter, now)
  await insertMail(tx, {
    mail_id: mailId,
    person_id: personId,
    address,
    kind,
    locale,
    data_sealed: await sealLetter(app.secrets, mailId, { data, expiresAt }),
    state: 'queued',
    created_at: now,
    ended_at: null,
  })
  await app.jobs.enqueue(tx, letterJob, { accountId: platformAccount, data: { mailId } })
  return 'queued'
}
