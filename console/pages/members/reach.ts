/** What one member may give to another, as the server decides it; it decides again when asked. */
import type { Account } from '../../api/use-account.ts'
import type { Member, Role } from './queries.ts'

type Own = Pick<Account, 'role' | 'rights' | 'is_limited'>

/** From the one who may do most to the one who may do least. */
export const roles: readonly Role[] = ['owner', 'admin', 'developer', 'billing', 'viewer']

export const mayChangeMembers = ({ rights }: Pick<Own, 'rights'>): boolean => rights.includes('members:write')

/** The roles that a member may give: never owner, unless they are one. */
export const rolesToGive = (own: Own): Role[] =>
  mayChangeMembers(own) ? roles.filter((role) => role !== 'owner' || own.role === 'owner') : []

/** Whether a member may change or remove another: owners only by owners, and people of all projects only by people of all projects. */
export const reaches = (own: Own, other: Pick<Member, 'role' | 'project_ids'>): boolean =>
  mayChangeMembers(own) &&
  (other.role !== 'owner' || own.role === 'owner') &&
  (!own.is_limited || other.project_ids !== null)

/** The projects of the account that a member may use, as far as this person sees them. */
export const projectsOf = <Project extends { id: string }>(
  { project_ids: ids }: Pick<Member, 'project_ids'>,
  all: readonly Project[],
): Project[] => all.filter(({ id }) => ids === null || ids.includes(id))

/** What a member has spent this month in all projects that are seen, in whole credits. */
export const spentOf = ({ spending }: Pick<Member, 'spending'>): number =>
  spending.reduce((sum, { month_spent_credits: spent }) => sum + spent, 0)

/** A cap as it was typed: null for none (an empty field), undefined for what is no whole number of credits. */
export function capOf(typed: string, decimal: string | undefined): number | null | undefined {
  if (typed.trim() === '') return null
  return decimal !== undefined && /^\d{1,12}$/.test(decimal) ? Number(decimal) : undefined
}
