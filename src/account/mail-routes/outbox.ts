import { auditRequest } from '#account/audit'
import { listMails, type MailOfPerson, maskedLetter, revealable, revealInvitation } from '#account/letters'
import { requireOperator } from '#account/people'
import { maskedAddress } from '#account/sign-in'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { plainList } from '#platform/lists'
import type { MailRoutesApp } from './app.ts'
import type { Mail, MailQuery } from './schema.ts'

export async function listOutbox(context: RequestContext<MailRoutesApp, unknown, MailQuery>) {
  const { app, query } = context
  requireOperator(context)
  const { rows, hasMore } = await listMails(app.db, { state: query.state }, query)
  const canReveal = await revealable(app, rows, new Date(app.clock.nowMs()))
  const mails: Mail[] = []
  for (const row of rows)
    mails.push(mailOf(row, await maskedLetter(app.secrets, row), canReveal.has(row.mail_id)))
  return plainList.answer({ rows: mails, hasMore }, (mail) => mail)
}

const mailOf = (
  row: MailOfPerson,
  shown: { subject: string; text: string } | undefined,
  canReveal: boolean,
): Mail => ({
  id: row.mail_id,
  address: row.address,
  kind: row.kind,
  locale: row.locale,
  state: row.state,
  subject: shown?.subject ?? null,
  text: shown?.text ?? null,
  can_reveal: canReveal,
  created_at: row.created_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
})

/** Shows the link of an invitation; whoever has it may accept it, so the row of the audit log stands with the account that invites. */
export async function revealMail(context: RequestContext<MailRoutesApp, unknown, unknown, { id: string }>) {
  const { app, params } = context
  requireOperator(context)
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const revealed = await revealInvitation(app, tx, params.id, now)
    if (revealed === 'missing') return fail('NOT_FOUND', {}, { param: 'id' })
    if (revealed === 'closed') return fail('MAIL_NOT_REVEALABLE', {})
    const { link, address, accountId, invitationId } = revealed
    const target = { kind: 'invitation', id: invitationId }
    await auditRequest(tx, context, {
      accountId,
      target,
      after: { mail_id: params.id, address: maskedAddress(address) },
    })
    return { id: params.id, address, link }
  })
}
