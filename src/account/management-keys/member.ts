/** Who sees and makes management keys: owners and admins of the whole account. */
import { holdMembership, type Membership, membership, permissionsOf } from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import type { ManagementKeysContext } from './app.ts'

type Right = 'management_keys:read' | 'management_keys:write'

/** Throws INSUFFICIENT_ROLE (403) for whoever lacks the right now, and for members of some projects: these keys act for all. */
function required(own: Membership | undefined, right: Right): void {
  if (!own || own.projectIds !== null || !permissionsOf(own.role).has(right))
    fail('INSUFFICIENT_ROLE', { right })
}

export async function requireReader(context: ManagementKeysContext): Promise<void> {
  const { app, caller } = context
  required(
    await membership(app.db, caller.accountId, requirePerson(context).personId),
    'management_keys:read',
  )
}

/** The membership stays as it is until the transaction ends; a change takes it after every lock for which it waits. */
export async function holdWriter(tx: Tx, context: ManagementKeysContext): Promise<void> {
  const { caller } = context
  required(
    await holdMembership(tx, caller.accountId, requirePerson(context).personId),
    'management_keys:write',
  )
}
