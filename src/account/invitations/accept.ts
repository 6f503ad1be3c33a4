/** Accepts invitations. */
import { type AuditEntry, audit } from '#account/audit'
import {
  hasProven,
  lockPerson,
  type Membership,
  membership,
  type Role,
  roles,
  setMember,
} from '#account/people'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type Grant, reaches } from './grants.ts'
import { requireProject } from './project.ts'
import * as store from './store.ts'
import './errors.ts'

/** The request in which an invitation is accepted, for the audit log. */
export type AcceptingRequest = Pick<AuditEntry, 'requestId' | 'client'>

export interface AcceptedInvitation {
  accountId: string
  accountName: string
  role: Role
}

/** The open invitation of this token; undefined where nobody can accept it, whoever asks. It says nothing about who may. */
export async function openInvitation(
  db: Db | Tx,
  token: string,
  now: Date,
): Promise<store.NamedInvitation | undefined> {
  const row = await store.invitationByToken(db, token, now)
  return row && (await isStillGiven(db, row)) ? row : undefined
}

/**
 * Makes the person a member, once. An invitation is bound to its address, which the person must have proven; `handedTo` is the address of an
 * invitation whose link the operator handed over where there is no mail, and where no address can be proven. A member who has more already keeps it.
 * Writes its row of the audit log. Throws INVITATION_INVALID (404) and INVITATION_FOR_ANOTHER (403).
 */
export async function acceptMembership(
  tx: Tx,
  { token, personId, handedTo }: { token: string; personId: string; handedTo?: string | undefined },
  request: AcceptingRequest,
  now: Date,
): Promise<AcceptedInvitation> {
  if (!(await lockPerson(tx, personId))) fail('NOT_SIGNED_IN', {})
  const row = await store.lockInvitationByToken(tx, token, now)
  if (!row) return fail('INVITATION_INVALID', {})
  // Whoever leaves or is lowered waits for the lock of the members, or has done so before it: an inviter without the right invites nobody.
  if (!(await isStillGiven(tx, row))) fail('INVITATION_INVALID', {})
  if (handedTo !== row.email && !(await hasProven(tx, personId, row.email)))
    fail('INVITATION_FOR_ANOTHER', {})
  const accountId = row.account_id
  const before = await membership(tx, accountId, personId)
  const after = before ? better(before, row) : given(row)
  // What a provider's claims gave goes on to end with them, unless the invitation gave a role of its own.
  const providerId = after.role === before?.role ? before.providerId : null
  if (after !== before)
    await setMember(
      tx,
      { accountId, personId, role: after.role, projectIds: after.projectIds, providerId },
      now,
    )
  await store.setInvitation(tx, row, { accepted_at: now, accepted_by: personId })
  if (after.role === 'owner') await requireProject(tx, accountId, now)
  await audit(
    tx,
    {
      ...request,
      accountId,
      actor: { kind: 'person', id: personId },
      operation: 'invitations.accept',
      target: { kind: 'invitation', id: row.invitation_id },
      ...(before && { before: shown(before) }),
      after: { person_id: personId, ...shown(after) },
    },
    now,
  )
  return { accountId, accountName: row.account_name, role: after.role }
}

const given = (row: store.InvitationRow): Grant => ({ role: row.role, projectIds: row.project_ids })

/**
 * What a member has after an invitation: a higher role in the projects of the invitation alone, so that nobody has that role where the inviter could not
 * give it; or more projects in the same role. A lower role changes nothing.
 */
function better(before: Membership, row: store.InvitationRow): Grant {
  const rank = (role: Role) => roles.indexOf(role)
  if (rank(row.role) < rank(before.role)) return given(row)
  const isMore = row.role === before.role && before.projectIds !== null
  if (!isMore) return before
  return {
    role: before.role,
    projectIds: row.project_ids && [...new Set([...before.projectIds!, ...row.project_ids])],
  }
}

const shown = ({ role, projectIds }: Pick<Membership, 'role' | 'projectIds'>) => ({
  role,
  project_ids: projectIds,
})

/** Whether the inviter may still give what was given: it is void once they have left or were lowered. The operator's is void once there is an owner. */
async function isStillGiven(db: Db | Tx, row: store.InvitationRow): Promise<boolean> {
  if (row.invited_by === null) return !(await store.hasOwner(db, row.account_id))
  const inviter = await membership(db, row.account_id, row.invited_by)
  return inviter !== undefined && reaches(inviter, given(row))
}
