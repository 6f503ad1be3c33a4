import type { EntryRow } from '#account/audit'
import type { Db } from '#platform/db'
import { isUuid } from '#platform/ids'

/** What people call an actor or a target: the name of a person, a key or a project. */
export interface NameEntry {
  name: string
  /** Deleted people keep no name. */
  isDeleted: boolean
}

/**
 * Finds the names of the people, keys and projects of these rows, by their ids. A key or a project has a name only in rows of its own account, and a
 * target whose id is no UUID has none.
 */
export async function namesIn(db: Db, rows: readonly EntryRow[]): Promise<ReadonlyMap<string, NameEntry>> {
  const people = new Set<string>()
  const keys = new Set<string>()
  const managementKeys = new Set<string>()
  const projects = new Set<string>()
  const accounts = new Set<string>()
  for (const { account_id, actor_kind, actor_id, target_kind, target_id } of rows) {
    if (account_id !== null) accounts.add(account_id)
    const ofActor = actor_kind === 'person' ? people : actor_kind === 'management_key' ? managementKeys : keys
    if (actor_id !== null) ofActor.add(actor_id)
    if (target_id === null || !isUuid(target_id)) continue
    if (isPerson(target_kind)) people.add(target_id)
    if (target_kind === 'key') keys.add(target_id)
    if (target_kind === 'management_key') managementKeys.add(target_id)
    if (target_kind === 'project') projects.add(target_id)
  }
  const found = await db.query<{ id: string; name: string; deleted: boolean }>(
    {
      text: `select person_id as id, display_name as name, deleted_at is not null as deleted
          from people.people where person_id = any($1::uuid[])
        union all select key_id, name, false from auth.keys
          where account_id = any($2::uuid[]) and key_id = any($3::uuid[])
        union all select project_id, name, false from auth.projects
          where account_id = any($2::uuid[]) and project_id = any($4::uuid[])
        union all select key_id, name, false from auth.management_keys
          where account_id = any($2::uuid[]) and key_id = any($5::uuid[])`,
    },
    [[...people], [...accounts], [...keys], [...projects], [...managementKeys]],
  )
  return new Map(found.map(({ id, name, deleted }) => [id, { name, isDeleted: deleted }]))
}

const isPerson = (kind: string | null): boolean => kind === 'person' || kind === 'member'
