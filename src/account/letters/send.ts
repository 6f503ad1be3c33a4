import { MailDeferred, MailRefused, maxMailAgeMs, retryPauseMs } from '#platform/mail'
import { job, type LetterJobsApp } from './app.ts'
import { mailChannel } from './channel.ts'
import { composeLetter } from './compose.ts'
import type { TypedLetter } from './kinds.ts'
import { hashOfLink } from './links.ts'
import { linkOf, masked, openLetter, type SealedLetter, sealLetter } from './seal.ts'
import { endMail, findMail, isLinkOver, type MailOfPerson, type MailState } from './store.ts'

/**
 * Sends one letter. It may run again after a crash: a letter that was sent and not yet recorded is sent twice, with the same message id. Mails to
 * people belong to no account, so their jobs are those of the platform; the limit of `queueLetter` keeps one address from filling the queue.
 */
export const letterJob = job<{ mailId: string }>({
  name: 'letters.send',
  limits: () => ({ perAccount: 8, perProcess: 4 }),
  async handle({ app, data: { mailId }, signal }) {
    const mail = await findMail(app.db, mailId)
    if (mail?.state !== 'queued') return undefined
    const nowMs = app.clock.nowMs()
    if (!app.mail || mailChannel(app) === 'none') return end(app, mail, 'unsent')
    const letter = await openLetter(app.secrets, mail)
    if (await isOver(app, letter)) return end(app, mail, 'expired', letter)
    const ageMs = nowMs - mail.created_at.getTime()
    if (ageMs > maxMailAgeMs) {
      app.metrics.mails.inc({ result: 'expired' })
      app.log.warn({ mail_id: mailId }, 'a mail to a person is given up: no mail server took it for a day')
      return end(app, mail, 'expired', letter)
    }
    try {
      await app.mail.send({ ...composeLetter(letter, mail), to: mail.address, id: mailId }, signal)
    } catch (error) {
      if (error instanceof MailDeferred) return { laterMs: retryPauseMs(ageMs) }
      if (!(error instanceof MailRefused)) throw error
      app.log.warn({ mail_id: mailId }, 'the mail server refuses a mail to a person for good')
      return end(app, mail, 'refused', letter)
    }
    return end(app, mail, 'sent', letter)
  },
})

/** Whether what the letter carries is over: its time has passed, or its link was used or revoked. */
async function isOver(app: LetterJobsApp, letter: TypedLetter & SealedLetter): Promise<boolean> {
  const now = new Date(app.clock.nowMs())
  if (letter.expiresAt && letter.expiresAt <= now) return true
  const link = linkOf(letter)
  return link !== undefined && (await isLinkOver(app.db, hashOfLink(link), now))
}

/** Records the end of a letter. One that nobody needs any more loses its code or link. */
async function end(
  { clock, db, secrets }: LetterJobsApp,
  { mail_id: mailId }: MailOfPerson,
  state: Exclude<MailState, 'queued'>,
  letter?: TypedLetter & SealedLetter,
): Promise<undefined> {
  const dataSealed = letter && (await sealLetter(secrets, mailId, masked(letter)))
  await endMail(db, mailId, { state, ...(dataSealed && { dataSealed }), now: new Date(clock.nowMs()) })
  return undefined
}
