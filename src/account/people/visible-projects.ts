/** Which projects' requests and usage a caller may see. */
import type { Caller } from '#platform/auth'
import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { membership } from './members.ts'

/** Ids of projects of the caller's account, or all of them. */
export type VisibleProjects = readonly string[] | 'all'

/**
 * The projects whose requests and usage the caller may see, read now: a key its own; a management key all of its account; a person those of the
 * membership, and none once it has ended.
 */
export async function visibleProjects(db: Db, caller: Caller): Promise<VisibleProjects> {
  if (caller.management) return 'all'
  if (caller.kind !== 'session' || !caller.person) return [caller.projectId]
  const own = await membership(db, caller.accountId, caller.person.personId)
  return own ? (own.projectIds ?? 'all') : []
}

/** Whether the caller is a person who sees only some projects, and so nothing of what the account as a whole has spent. */
export async function isLimitedPerson(db: Db, caller: Caller): Promise<boolean> {
  return caller.kind === 'session' && (await visibleProjects(db, caller)) !== 'all'
}

/**
 * The projects that the `project_id` of a query names: `all` that the caller may see, or one of them; an empty text, the project of a management key
 * that named none, is `all` too. Throws NOT_FOUND (404, param `project_id`) for a
 * project of another account, one that the caller may not see, and one that does not exist.
 */
export async function namedProjects(db: Db, caller: Caller, named: string): Promise<VisibleProjects> {
  const visible = await visibleProjects(db, caller)
  if (named === 'all' || (named === '' && caller.management)) return visible
  const id = named.toLowerCase()
  const isSeen = visible === 'all' ? await isProjectOf(db, caller.accountId, id) : visible.includes(id)
  return isSeen ? [id] : fail('NOT_FOUND', {}, { param: 'project_id' })
}

async function isProjectOf(db: Db, accountId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const rows = await db.query(
    {
      name: 'people.project_of_account',
      text: 'select from auth.projects where account_id = $1 and project_id = $2',
    },
    [accountId, id],
  )
  return rows.length === 1
}
