/** What a member sees of the others: projects are those that both may use, and addresses and factors are for whoever may change members. */
import type { Grant } from '#account/invitations'
import { type Member, type Membership, membership, permissionsOf } from '#account/people'
import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import { creditsDown, creditsUp } from '#platform/ledger'
import type { PeopleContext } from './app.ts'
import type { Member as ShownMember } from './schema.ts'
import type { MemberSpending } from './store.ts'

/** The membership of the person of the session in the account of the request. Throws INSUFFICIENT_ROLE (403) for one that has just ended. */
export async function ownMembership(db: Db, context: Pick<PeopleContext, 'caller'>): Promise<Membership> {
  const own = await membership(db, context.caller.accountId, requirePerson(context).personId)
  return own ?? fail('INSUFFICIENT_ROLE', { right: 'members:read' })
}

export const mayChangeMembers = ({ role }: Pick<Membership, 'role'>): boolean =>
  permissionsOf(role).has('members:write')

/** Whether a member sees that another member or an invitation exists: both may use one project at least. */
export const sees = (own: Pick<Membership, 'projectIds'>, other: Pick<Grant, 'projectIds'>): boolean =>
  other.projectIds === null || cutToOwn(own, other.projectIds)!.length > 0

/** The projects of another as far as a member may use them too; null: all. */
export function cutToOwn(
  { projectIds: own }: Pick<Membership, 'projectIds'>,
  projectIds: readonly string[] | null,
): string[] | null {
  if (projectIds === null) return null
  return projectIds.filter((projectId) => own === null || own.includes(projectId))
}

export const settingsOf = ({ role, projectIds }: Grant) => ({ role, project_ids: projectIds })

/** A cap in whole credits. */
export const capOf = (cap: bigint | null): number | null => (cap === null ? null : creditsDown(cap))

/** A member as another one, or the same person, sees them. */
export function shownMember(
  row: Member,
  own: Membership,
  { spending, factors }: { spending: readonly MemberSpending[]; factors: ReadonlyMap<string, Date | null> },
): ShownMember {
  const { personId } = row
  const isOwn = personId === own.personId
  const seesAll = isOwn || mayChangeMembers(own)
  return {
    person_id: personId,
    display_name: row.displayName,
    email: seesAll ? row.email : null,
    role: row.role,
    project_ids: cutToOwn(own, row.projectIds),
    provider_id: row.providerId,
    has_second_factor: seesAll ? factors.has(personId) : null,
    factor_reset_due_at: seesAll ? (factors.get(personId)?.toISOString() ?? null) : null,
    spending: spending.filter((one) => own.projectIds?.includes(one.project_id) !== false).map(shownSpending),
    is_you: isOwn,
    joined_at: row.joinedAt.toISOString(),
  }
}

const shownSpending = ({ project_id, month_cap, month_spent }: MemberSpending) => ({
  project_id,
  month_cap_credits: capOf(month_cap),
  month_spent_credits: creditsUp(month_spent),
})
