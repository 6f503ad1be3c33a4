/** `kherad account invite`: gives an account without a person its owner. */
import { hasMember, invitationLink, invite } from '#account/invitations'
import { lockMembers } from '#account/people'
import { maskedAddress } from '#account/sign-in'
import { auditCommand } from '../audit.ts'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { accountOf } from './accounts.ts'
import { peopleApp, readAddress } from './people-app.ts'
import { peoplePhrases as words } from './people-phrases.ts'

export const accountInviteCommands: Command[] = [
  {
    name: 'account invite',
    about: {
      fa: 'برای حسابی که هنوز عضوی ندارد مالکی دعوت می‌کند.',
      en: 'Invites the owner of an account that has no members yet.',
    },
    takes: ['ACCOUNT', 'ADDRESS'],
    options: [],
    needs: [],
    run: inviteOwner,
  },
]

async function inviteOwner(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const [typed = '', address = ''] = given.words
  const email = readAddress(address)
  const { account_id: accountId, name: accountName } = await accountOf(session, typed)
  const db = await session.db()
  const app = await peopleApp(session, db)
  const now = new Date(session.clock.nowMs())
  const { row, delivery, token } = await db.tx(async (tx) => {
    await lockMembers(tx, accountId)
    if (await hasMember(tx, accountId)) refuse('ACCOUNT_HAS_MEMBERS', words.accountHasPeople(accountName))
    const sent = await invite(
      app,
      tx,
      {
        accountId,
        accountName,
        email,
        role: 'owner',
        projectIds: null,
        inviter: undefined,
        locale: language,
      },
      now,
    )
    await auditCommand(tx, session, {
      accountId,
      operation: 'account.invite',
      target: { kind: 'invitation', id: sent.row.invitation_id },
      after: { email: maskedAddress(email), role: 'owner' },
    })
    return sent
  })
  const link = invitationLink(app, token)
  return {
    json: {
      id: row.invitation_id,
      account_id: accountId,
      email,
      delivery,
      expires_at: row.expires_at.toISOString(),
      ...(delivery !== 'mail' && { link }),
    },
    text:
      `${words.accountInvited(email, accountName)[language]}\n` +
      (delivery === 'mail'
        ? `${words.mailGoes()[language]}\n`
        : `${words.handOver()[language]}\n\n  ${link}\n`),
  }
}
