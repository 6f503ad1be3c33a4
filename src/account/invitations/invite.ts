/** Sends invitations. */
import { mailChannel, queueLetter } from '#account/letters'
import type { Role } from '#account/people'
import { countAttempt, hashToken, newToken } from '#account/sign-in'
import type { Tx } from '#platform/db'
import { fail, type Language } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { linkAddress } from './address.ts'
import type { InvitationsApp } from './app.ts'
import * as store from './store.ts'
import './errors.ts'

export const invitationPrefix = 'khi_'
const dayMs = 86_400_000
const lifetimeDays = 7
/** The most invitations that an account sends in a day, repeated ones included. */
export const maxDailyInvitations = 20

export interface NewInvitation {
  accountId: string
  accountName: string
  /** Normalised. */
  email: string
  role: Role
  projectIds: readonly string[] | null
  /** Undefined: the operator's command line, which has no limit. */
  inviter: { personId: string; displayName: string } | undefined
  /** The language of the letter. */
  locale: Language
}

/** `mail`: on its way. `operator`: there is no mail channel, so the operator hands the link over. `limited`: the address has had too many mails. */
export type Delivery = 'mail' | 'operator' | 'limited'

export interface SentInvitation {
  row: store.InvitationRow
  delivery: Delivery
  /** The token, for the operator's command line alone. */
  token: string
}

/**
 * Invites an address into an account, in place of an open invitation to it. The caller has checked what the inviter may give. Throws
 * TOO_MANY_INVITATIONS (429).
 */
export async function invite(
  app: InvitationsApp,
  tx: Tx,
  invitation: NewInvitation,
  now: Date,
): Promise<SentInvitation> {
  const { accountId, email, role, projectIds, inviter } = invitation
  if (inviter) await countInvitation(tx, accountId, now)
  await store.revokeInvitations(tx, accountId, { email }, now)
  // The operator's invitation corrects the one before, which may have gone to a mistyped address.
  if (!inviter) await store.revokeInvitations(tx, accountId, { byOperator: true }, now)
  const token = newToken(invitationPrefix)
  const row: store.InvitationRow = {
    account_id: accountId,
    invitation_id: uuidv7(now.getTime()),
    email,
    role,
    project_ids: projectIds && [...new Set(projectIds)],
    hash: hashToken(token),
    invited_by: inviter?.personId ?? null,
    created_at: now,
    expires_at: endOf(now),
    revoked_at: null,
    accepted_at: null,
    accepted_by: null,
  }
  await store.insertInvitation(tx, row)
  return { row, token, delivery: await sendInvitation(app, tx, { ...invitation, token }, now) }
}

/**
 * Sends a locked, open invitation once more, by a new link that is valid for another seven days; the old link is worth nothing from now on. Throws
 * TOO_MANY_INVITATIONS (429).
 */
export async function inviteAgain(
  app: InvitationsApp,
  tx: Tx,
  row: store.NamedInvitation,
  inviter: { personId: string; displayName: string },
  locale: Language,
  now: Date,
): Promise<{ row: store.NamedInvitation; delivery: Delivery }> {
  await countInvitation(tx, row.account_id, now)
  const token = newToken(invitationPrefix)
  const change = { hash: hashToken(token), expires_at: endOf(now) }
  await store.setInvitation(tx, row, change)
  const letter = { accountName: row.account_name, email: row.email, role: row.role, inviter, locale, token }
  return { row: { ...row, ...change }, delivery: await sendInvitation(app, tx, letter, now) }
}

const endOf = (now: Date): Date => new Date(now.getTime() + lifetimeDays * dayMs)

async function countInvitation(tx: Tx, accountId: string, now: Date): Promise<void> {
  const subject = {
    hash: sha256(`invitations of ${accountId}`),
    max: maxDailyInvitations,
    windowMs: dayMs,
  }
  const waitMs = await countAttempt(tx, { name: 'people.attempts', owner: {} }, [subject], now.getTime())
  if (waitMs !== undefined)
    fail('TOO_MANY_INVITATIONS', { max: maxDailyInvitations }, { retryAfterMs: waitMs })
}

async function sendInvitation(
  app: InvitationsApp,
  tx: Tx,
  {
    accountName,
    email,
    role,
    inviter,
    locale,
    token,
  }: Pick<NewInvitation, 'accountName' | 'email' | 'role' | 'inviter' | 'locale'> & { token: string },
  now: Date,
): Promise<Delivery> {
  const data = {
    account: accountName,
    inviter: inviter?.displayName ?? '',
    role,
    link: linkAddress(app, token),
    days: lifetimeDays,
  }
  const outcome = await queueLetter(app, tx, { to: email, kind: 'invitation', locale, data }, now)
  if (outcome === 'limited') return 'limited'
  return mailChannel(app) === 'mail' ? 'mail' : 'operator'
}
