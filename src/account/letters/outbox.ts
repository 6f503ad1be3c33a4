/** What the operator sees of letters that reach nobody, because there is no mail channel. */
import type { Db, Tx } from '#platform/db'
import type { Secrets } from '#platform/secrets'
import { composeLetter } from './compose.ts'
import { hashOfLink } from './links.ts'
import { linkOf, masked, openLetter } from './seal.ts'
import { findInvitation, findMail, type MailOfPerson, openInvitations } from './store.ts'

/** The subject and the text of a letter that was not sent, with a mask in place of its code or link; undefined for all others, which are nobody's business. */
export async function maskedLetter(
  secrets: Secrets,
  mail: MailOfPerson,
): Promise<{ subject: string; text: string } | undefined> {
  if (mail.state !== 'unsent') return undefined
  const { subject, text } = composeLetter(masked(await openLetter(secrets, mail)), mail)
  return { subject, text }
}

/** Which of these mails, by their ids, have a link that can be shown: that of an invitation into an account, while it is open. */
export async function revealable(
  { db, secrets }: { db: Db; secrets: Secrets },
  mails: readonly MailOfPerson[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const byHash = new Map<string, string>()
  for (const mail of mails.filter(mayBeShown)) {
    const link = linkOf(await openLetter(secrets, mail))
    if (link !== undefined) byHash.set(hashOfLink(link).toString('hex'), mail.mail_id)
  }
  const open = await openInvitations(db, [...byHash.keys()], now)
  return new Set(open.map((hash) => byHash.get(hash)!))
}

const mayBeShown = ({ state, kind }: Pick<MailOfPerson, 'state' | 'kind'>): boolean =>
  state === 'unsent' && kind === 'invitation'

export interface RevealedInvitation {
  link: string
  address: string
  accountId: string
  invitationId: string
}

/**
 * The link of an invitation that could not be sent, while the invitation is open. Returns `missing` for a mail that is not there, and `closed` for
 * every other mail. The caller writes the row of the audit log in the same transaction.
 */
export async function revealInvitation(
  { secrets }: { secrets: Secrets },
  tx: Tx,
  mailId: string,
  now: Date,
): Promise<RevealedInvitation | 'missing' | 'closed'> {
  const mail = await findMail({ kysely: tx }, mailId)
  if (!mail) return 'missing'
  if (!mayBeShown(mail)) return 'closed'
  const link = linkOf(await openLetter(secrets, mail))
  const invitation = link === undefined ? undefined : await findInvitation(tx, hashOfLink(link), now)
  if (link === undefined || !invitation) return 'closed'
  const { account_id: accountId, invitation_id: invitationId } = invitation
  return { link, address: mail.address, accountId, invitationId }
}
