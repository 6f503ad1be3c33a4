/** The operator's outbox: which mails to people went out, and what they would have said where there is no mail channel. */
import { letterJob } from '#account/letters'
import { route } from './app.ts'
import { listOutbox, revealMail } from './outbox.ts'
import { IdParams, MailList, MailQuery, RevealedMail } from './schema.ts'
import './errors.ts'

const path = '/v1/operator/mails'

const routes = [
  route({
    method: 'GET',
    path,
    operation: 'operator.mails',
    scope: 'person',
    summary: {
      en: 'Mails to people, newest first, for operators. What could not be sent is shown, with a mask in place of codes and links.',
      fa: 'نامه‌های اشخاص، تازه‌ترین نخست، برای گرداننده‌ها. آنچه نمی‌شد فرستاد نشان داده می‌شود و کدها و پیوندهایش پوشیده است.',
    },
    query: MailQuery,
    reply: { 200: MailList },
    errors: ['OPERATOR_REQUIRED', 'SECRETS_SEALED'],
    handle: listOutbox,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/reveal`,
    operation: 'operator.revealMail',
    scope: 'person',
    stepUp: true,
    audited: true,
    summary: {
      en: 'Show the link of an invitation that could not be mailed, to hand it over. Written to the audit log.',
      fa: 'نشان دادن پیوند دعوتی که فرستاده نشد، برای رساندن آن. در گزارش تغییرها نوشته می‌شود.',
    },
    params: IdParams,
    reply: { 200: RevealedMail },
    errors: ['NOT_FOUND', 'OPERATOR_REQUIRED', 'MAIL_NOT_REVEALABLE', 'SECRETS_SEALED'],
    handle: revealMail,
  }),
]

export const mailRoutes = { name: 'mails', routes, jobs: [letterJob] }
