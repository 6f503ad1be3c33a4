/** What one member may give to another. */
import { type Membership, permissionsOf } from '#account/people'

/** A role with the projects to which it is limited; null: all projects. */
export type Grant = Pick<Membership, 'role' | 'projectIds'>

/** Whether a member with the first grant may give, change or take away the second: never more than the own, and owners only by owners. */
export function reaches(own: Grant, other: Grant): boolean {
  if (!permissionsOf(own.role).has('members:write')) return false
  if (other.role === 'owner' && own.role !== 'owner') return false
  if (own.projectIds === null) return true
  const reached = new Set(own.projectIds)
  return other.projectIds?.every((projectId) => reached.has(projectId)) ?? false
}
