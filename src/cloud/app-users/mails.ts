/** Mails to app users: counted in the transaction that asks for them, and sent by a job that can be repeated (docs/decisions/cloud/app-users.md). */
import { type LiveCloud, refOf } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { MailDeferred, MailRefused, maxMailAgeMs, retryPauseMs } from '#platform/mail'
import { job, type UserJobsApp, type UsersApp } from './app.ts'
import { type MailKind, mailContent } from './letters.ts'
import { linkPageUrl, secretOf, tokenSigner } from './one-time.ts'
import { lockCloud } from './store.ts'
import { countMails, findMail, findToken, insertMail, type MailRow } from './token-store.ts'
import { readUsers, type UsersCloud, type UsersTx } from './users-database.ts'

const maxHourlyMails = 3
const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

export interface NewMail {
  address: string
  /** Null if no user has this address. Such a mail counts like the others, so that it looks like them from outside. */
  kind: MailKind | null
  tokenId?: string
}

/**
 * Counts a mail and queues it. Locks the cloud, which a transaction must do before anything else. Where users are in a database of their own the mail
 * is queued before its token has committed: the job waits for the token, and sends nothing if it never appears. Throws APP_USER_MAIL_LIMIT.
 */
export const queueMail = (
  app: Pick<UsersApp, 'jobs'>,
  tx: UsersTx,
  cloud: LiveCloud,
  mail: NewMail,
  now: Date,
): Promise<void> => tx.onPlatform((platform) => queue(app, platform, cloud, mail, now))

async function queue(
  app: Pick<UsersApp, 'jobs'>,
  tx: Tx,
  cloud: LiveCloud,
  mail: NewMail,
  now: Date,
): Promise<void> {
  await lockCloud(tx, cloud)
  const nowMs = now.getTime()
  const dayBegan = new Date(nowMs - (nowMs % dayMs))
  const { address } = mail
  const sent = await countMails(tx, cloud, { address, dayBegan, hourAgo: new Date(nowMs - hourMs) })
  const max = cloud.limits.dailyMails
  if (sent.ofAddress >= maxHourlyMails)
    fail('APP_USER_MAIL_LIMIT', { of: 'address', max: maxHourlyMails }, { retryAfterMs: hourMs })
  if (sent.ofDay >= max)
    fail('APP_USER_MAIL_LIMIT', { of: 'cloud', max }, { retryAfterMs: dayBegan.getTime() + dayMs - nowMs })
  const { accountId, cloudId } = cloud
  const mailId = uuidv7(nowMs)
  await insertMail(tx, {
    account_id: accountId,
    cloud_id: cloudId,
    mail_id: mailId,
    address,
    kind: mail.kind,
    token_id: mail.tokenId ?? null,
    created_at: now,
  })
  if (mail.kind)
    await app.jobs.enqueue(tx, mailJob, { accountId, data: { cloudId, mailId, plan: cloud.plan } })
}

/** Every transaction of a cloud's database has committed within this time; the pause is that between two checks for it. */
export const commitMs = 60 * 1000
export const commitPauseMs = 250

export const mailJob = job<{ cloudId: string; mailId: string; plan?: LiveCloud['plan'] }>({
  name: 'app-users.mail',
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  async handle({ app, accountId, data: { cloudId, mailId, plan = 'starter' }, signal }) {
    const ref = await refOf(app.db, { accountId, cloudId })
    const mail = await findMail(app.db.kysely, { accountId, cloudId }, mailId)
    // The cloud or the recipient was deleted, or the operator sends no mails any more.
    if (ref === undefined || !mail?.kind || !app.mail) return undefined
    const ageMs = app.clock.nowMs() - mail.created_at.getTime()
    if (ageMs > maxMailAgeMs) return giveUp(app, { cloudId, mailId })
    const letter = await compose(app, ref, { accountId, cloudId, plan }, mail)
    if (!letter) return plan === 'dedicated' && ageMs < commitMs ? { laterMs: commitPauseMs } : undefined
    try {
      await app.mail.send({ ...letter, to: mail.address, id: mailId }, signal)
    } catch (error) {
      if (error instanceof MailDeferred) return { laterMs: retryPauseMs(ageMs) }
      if (!(error instanceof MailRefused)) throw error
      app.log.warn({ mail_id: mailId, cloud_id: cloudId }, 'the mail server refuses a mail for good')
    }
    return undefined
  },
})

function giveUp(
  { log, metrics }: Pick<UserJobsApp, 'log' | 'metrics'>,
  { cloudId, mailId }: { cloudId: string; mailId: string },
): undefined {
  metrics.mails.inc({ result: 'expired' })
  log.warn({ mail_id: mailId, cloud_id: cloudId }, 'a mail is given up: no mail server took it for a day')
}

/** Returns undefined where the token that the mail would carry was used or has expired. */
async function compose(
  app: UserJobsApp,
  ref: string,
  cloud: UsersCloud,
  { kind, token_id: tokenId }: MailRow,
) {
  if (tokenId === null) return mailContent(kind as MailKind, undefined)
  const token = await readUsers(app, cloud, (reader) => findToken(reader, cloud, tokenId))
  if (!token || token.expires_at.getTime() <= app.clock.nowMs()) return undefined
  const secret = secretOf(await tokenSigner(app), cloud, token)
  return mailContent(kind as MailKind, { code: secret.code, link: linkPageUrl(app, { ref }, secret.token) })
}
