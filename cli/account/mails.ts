/** `kherad mail list|reveal`: what would have gone to people where there is no mail channel. It works on the database directly. */
import path from 'node:path'
import {
  listMails,
  type MailOfPerson,
  type MailState,
  maskedLetter,
  revealable,
  revealInvitation,
} from '#account/letters'
import { maskedAddress } from '#account/sign-in'
import { openLog } from '#platform/log'
import { openSecrets, type Secrets } from '#platform/secrets'
import { loadConfig } from '#settings'
import { readId } from '../amounts.ts'
import { auditCommand } from '../audit.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { readAll } from '../operate.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { titles } from '../phrases.ts'
import { mailOptions, mailPhrases as words } from './mail-phrases.ts'

const states: readonly MailState[] = ['queued', 'sent', 'refused', 'expired', 'unsent']

export const mailCommands: Command[] = [
  {
    name: 'mail list',
    about: words.list,
    takes: [],
    options: ['state'],
    needs: [],
    help: mailOptions,
    run: listAll,
  },
  { name: 'mail reveal', about: words.reveal, takes: ['MAIL'], options: [], needs: [], run: reveal },
]

type ShownMail = MailOfPerson & { subject: string | null; text: string | null; canReveal: boolean }

async function listAll(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const state = readState(options['state'] ?? 'unsent')
  const db = await session.db()
  const rows = await readAll(
    (page) => listMails(db, { state }, page),
    (row) => row.mail_id,
  )
  const secrets = rows.length === 0 ? undefined : await secretsOf(session)
  const now = new Date(session.clock.nowMs())
  const open = secrets ? await revealable({ db, secrets }, rows, now) : new Set()
  const shown: ShownMail[] = []
  for (const row of rows) {
    const { subject = null, text = null } = (secrets && (await maskedLetter(secrets, row))) ?? {}
    shown.push({ ...row, subject, text, canReveal: open.has(row.mail_id) })
  }
  const none = `${words.none[language]}\n`
  return {
    json: { data: shown.map(jsonOf) },
    text: shown.length === 0 ? none : table(shown, columns(language), language),
  }
}

async function reveal(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const mailId = readId('MAIL', given.words[0] ?? '')
  const now = new Date(session.clock.nowMs())
  const db = await session.db()
  const secrets = await secretsOf(session)
  const { link, address } = await db.tx(async (tx) => {
    const revealed = await revealInvitation({ secrets }, tx, mailId, now)
    if (revealed === 'missing') refuse('MAIL_NOT_FOUND', words.noMail(mailId))
    if (revealed === 'closed') refuse('MAIL_NOT_REVEALABLE', words.notRevealable)
    const { accountId, invitationId, address } = revealed
    const target = { kind: 'invitation', id: invitationId }
    const after = { mail_id: mailId, address: maskedAddress(address) }
    await auditCommand(tx, session, { accountId, operation: 'operator.revealMail', target, after })
    return revealed
  })
  return {
    json: { id: mailId, address, link },
    text: `${words.revealed(address)[session.language]}\n\n  ${link}\n`,
  }
}

function readState(typed: string): MailState | undefined {
  if (typed === 'all') return undefined
  return states.find((state) => state === typed) ?? refuseUsage(words.noState(typed, [...states, 'all']))
}

async function secretsOf(session: Session): Promise<Secrets> {
  const { dataDir, secret } = loadConfig(session.env)
  const file = path.join(path.resolve(dataDir), 'secret.key')
  return openSecrets({ db: await session.db(), log: openLog('silent'), secret, file })
}

const jsonOf = (mail: ShownMail) => ({
  id: mail.mail_id,
  address: mail.address,
  kind: mail.kind,
  locale: mail.locale,
  state: mail.state,
  subject: mail.subject,
  text: mail.text,
  can_reveal: mail.canReveal,
  created_at: mail.created_at.toISOString(),
  ended_at: mail.ended_at?.toISOString() ?? null,
})

const columns = (language: Session['language']): TableColumn<ShownMail>[] => [
  { title: titles.id, show: (mail) => mail.mail_id },
  { title: words.columns.address, show: (mail) => mail.address },
  { title: words.columns.kind, show: (mail) => mail.kind },
  { title: titles.state, show: (mail) => words.states[mail.state][language] },
  { title: titles.created, show: (mail) => showTime(mail.created_at, language) },
  { title: words.columns.subject, show: (mail) => mail.subject ?? '' },
]
