/** Invitations into the account of the request. */
import { actorOf, auditRequest } from '#account/audit'
import {
  acceptMembership,
  type Delivery,
  type Grant,
  type InvitationRow,
  invite,
  inviteAgain,
  listInvitations,
  lockInvitation,
  type NamedInvitation,
  openGrantsTo,
  reaches,
  setInvitation,
} from '#account/invitations'
import { lockMembers, type Membership, membership, personByEmail, personById } from '#account/people'
import { emailAddress, maskedAddress } from '#account/sign-in'
import { acceptOnce } from '#core/calls'
import { accountName } from '#platform/auth'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type JsonText, requirePerson } from '#platform/http'
import { plainList } from '#platform/lists'
import type { PeopleContext } from './app.ts'
import { cutToOwn, mayChangeMembers, ownMembership, sees } from './member-view.ts'
import { requireProjects } from './members.ts'
import { reasons } from './phrases.ts'
import type { AcceptBody, Invitation, InvitationBody, InvitationQuery, ResendBody } from './schema.ts'

type InvitationContext<Body = unknown> = PeopleContext<Body, unknown, { id: string }>

/** A page of the invitations that the person of the session sees. */
export async function listOfInvitations(context: PeopleContext<unknown, InvitationQuery>) {
  const { app, query } = context
  const now = new Date(app.clock.nowMs())
  const own = await ownMembership(app.db, context)
  const { accountId, projectIds } = own
  const filter = { accountId, projectIds, state: query.state }
  return plainList.answer(await listInvitations(app.db, filter, query, now), (row) => shown(row, own, now))
}

/** Invites an address, in place of an open invitation to it. Throws ROLE_TOO_HIGH (403), ALREADY_MEMBER (409) and TOO_MANY_INVITATIONS (429). */
export function makeInvitation(context: PeopleContext<InvitationBody>): Promise<JsonText> {
  const { app, body, caller } = context
  const email =
    emailAddress(body.email) ?? fail('INVALID_REQUEST', { why: reasons.email }, { param: 'email' })
  const { accountId } = caller
  const given: Grant = {
    role: body.role,
    projectIds: body.project_ids?.map((id) => id.toLowerCase()) ?? null,
  }
  if (given.role === 'owner' && given.projectIds !== null)
    fail('INVALID_REQUEST', { why: reasons.ownerProjects }, { param: 'project_ids' })
  const now = new Date(app.clock.nowMs())
  return acceptOnce(context, { endpoint: '/v1/invitations', statusCode: 201, now }, async (tx) => {
    const own = await requireReach(tx, context, given)
    await requireProjects(tx, accountId, given.projectIds)
    const known = await personByEmail(tx, email)
    if (known && (await membership(tx, accountId, known.personId))) fail('ALREADY_MEMBER', {})
    // The new invitation replaces an open one, which only those may revoke who could give it.
    const replaced = await openGrantsTo(tx, accountId, email, now)
    if (!replaced.every((grant) => reaches(own, grant))) fail('ROLE_TOO_HIGH', {})
    const inviter = await inviterOf(tx, context)
    const { row, delivery } = await invite(
      app,
      tx,
      {
        ...{ accountId, email, inviter, ...given },
        accountName: await accountName(tx, accountId),
        locale: body.locale ?? requirePerson(context).locale,
      },
      now,
    )
    await auditInvitation(tx, context, row, undefined, { email: maskedAddress(email), ...grantOf(row) })
    return {
      ...shown({ ...row, account_name: '', inviter_name: inviter.displayName }, own, now),
      delivery: deliveryFor(delivery),
    }
  })
}

/** What an inviter hears: nothing of what others have written to the address. */
const deliveryFor = (delivery: Delivery): 'mail' | 'operator' => (delivery === 'limited' ? 'mail' : delivery)

/** Revokes an open invitation; revoking twice changes nothing. */
export async function revokeInvitation(context: InvitationContext): Promise<Invitation> {
  const { app } = context
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const { row, own } = await lockOwn(tx, context)
    const change = row.accepted_at === null && row.revoked_at === null ? { revoked_at: now } : {}
    if (change.revoked_at) await setInvitation(tx, row, change)
    const after = { ...row, ...change }
    const state = (one: InvitationRow) => ({ state: stateOf(one, now) })
    await auditInvitation(tx, context, row, { email: maskedAddress(row.email), ...state(row) }, state(after))
    return shown(after, own, now)
  })
}

/** Sends an invitation once more, by a new link for another seven days. One that was accepted or revoked is INVITATION_INVALID (404). */
export async function resendInvitation(context: InvitationContext<ResendBody>) {
  const { app, body } = context
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const { row, own } = await lockOwn(tx, context)
    if (row.accepted_at || row.revoked_at) fail('INVITATION_INVALID', {})
    const inviter = await inviterOf(tx, context)
    const locale = body.locale ?? requirePerson(context).locale
    const sent = await inviteAgain(app, tx, row, inviter, locale, now)
    await auditInvitation(
      tx,
      context,
      row,
      { email: maskedAddress(row.email), expires_at: row.expires_at },
      { expires_at: sent.row.expires_at },
    )
    return { ...shown(sent.row, own, now), delivery: deliveryFor(sent.delivery) }
  })
}

/** Accepts an invitation for the person of the session. Throws INVITATION_INVALID (404) and INVITATION_FOR_ANOTHER (403). */
export async function acceptOwnInvitation(context: PeopleContext<AcceptBody>) {
  const { app, body } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  const { requestId, client } = actorOf(context)
  const accepted = await app.db.tx((tx) =>
    acceptMembership(tx, { token: body.token, personId }, { requestId, client }, now),
  )
  return { account_id: accepted.accountId, account_name: accepted.accountName, role: accepted.role }
}

/** Throws ROLE_TOO_HIGH (403) unless the person of the session may give this, and INSUFFICIENT_ROLE for one who has just lost the right. */
async function requireReach(
  tx: Tx,
  { caller }: Pick<PeopleContext, 'caller'>,
  given: Grant,
): Promise<Membership> {
  await lockMembers(tx, caller.accountId)
  const own = await membership(tx, caller.accountId, requirePerson({ caller }).personId)
  if (!own || !mayChangeMembers(own)) return fail('INSUFFICIENT_ROLE', { right: 'members:write' })
  if (!reaches(own, given)) fail('ROLE_TOO_HIGH', {})
  return own
}

/** An invitation of the account, locked, which the person of the session may change. */
async function lockOwn(
  tx: Tx,
  context: InvitationContext,
): Promise<{ row: NamedInvitation; own: Membership }> {
  const { caller, params } = context
  await lockMembers(tx, caller.accountId)
  const row = await lockInvitation(tx, caller.accountId, params.id)
  const own = await membership(tx, caller.accountId, requirePerson(context).personId)
  if (!row || !own || !sees(own, { projectIds: row.project_ids }))
    return fail('NOT_FOUND', {}, { param: 'id' })
  return { row, own: await requireReach(tx, context, { role: row.role, projectIds: row.project_ids }) }
}

async function inviterOf(tx: Tx, { caller }: Pick<PeopleContext, 'caller'>) {
  const { personId } = requirePerson({ caller })
  const person = (await personById(tx, personId)) ?? fail('NOT_SIGNED_IN', {})
  return { personId, displayName: person.displayName }
}

const auditInvitation = (
  tx: Tx,
  context: PeopleContext,
  row: InvitationRow,
  before: object | undefined,
  after: object,
): Promise<void> =>
  auditRequest(tx, context, {
    projectId: null,
    target: { kind: 'invitation', id: row.invitation_id },
    before,
    after,
  })

const grantOf = (row: InvitationRow) => ({ role: row.role, project_ids: row.project_ids })

function stateOf(row: InvitationRow, now: Date): Invitation['state'] {
  if (row.accepted_at) return 'accepted'
  if (row.revoked_at) return 'revoked'
  return row.expires_at > now ? 'open' : 'expired'
}

const shown = (row: NamedInvitation, own: Membership, now: Date): Invitation => ({
  id: row.invitation_id,
  email: mayChangeMembers(own) ? row.email : maskedAddress(row.email),
  role: row.role,
  project_ids: cutToOwn(own, row.project_ids),
  state: stateOf(row, now),
  invited_by:
    row.invited_by === null ? null : { person_id: row.invited_by, display_name: row.inviter_name ?? '' },
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  accepted_at: row.accepted_at?.toISOString() ?? null,
})
