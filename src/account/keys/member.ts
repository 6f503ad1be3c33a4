/** What the caller of a request may see and change of keys and projects: a member by the role, a management key by its permissions. */
import { holdMembership, type Membership, membership, permissionsOf } from '#account/people'
import { type Caller, holdManagementKey } from '#platform/auth'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import type { Caps } from '#platform/ledger'
import type { KeysContext } from './app.ts'
import type { KeyFilter, KeyRow, ProjectRow } from './store.ts'

export interface Manager {
  accountId: string
  /** Null: all projects of the account. */
  projectIds: readonly string[] | null
  /** Scopes and permissions. */
  rights: ReadonlySet<string>
  /** The scopes that keys may get from this manager. */
  givenScopes: ReadonlySet<string>
  /** Undefined for a management key. */
  member: Membership | undefined
}

type ManagerContext = Pick<KeysContext, 'app' | 'caller'>

const managerOf = (member: Membership): Manager => {
  const rights = permissionsOf(member.role)
  const { accountId, projectIds } = member
  return { accountId, projectIds, rights, givenScopes: rights, member }
}

/** All projects: a key that is limited to some would be a project key. */
const managementManager = ({ accountId, scopes, management }: Caller): Manager => ({
  accountId,
  projectIds: null,
  rights: scopes,
  givenScopes: management!.keyScopes,
  member: undefined,
})

/** Who manages, read now. Throws INSUFFICIENT_ROLE (403) for a membership that has just ended. */
export async function manager(db: Db | Tx, context: Pick<KeysContext, 'caller'>): Promise<Manager> {
  const { caller } = context
  if (caller.management) return managementManager(caller)
  const own = await membership(db, caller.accountId, requirePerson(context).personId)
  return own ? managerOf(own) : fail('INSUFFICIENT_ROLE', { right: 'account:read' })
}

/**
 * Who manages, as it stays until the transaction ends. A change takes it after every lock for which it waits. Throws INSUFFICIENT_ROLE (403) for whoever
 * has lost the right while the request was on its way, and INVALID_API_KEY (401) for a management key that has ended meanwhile.
 */
export async function heldManager(
  tx: Tx,
  context: ManagerContext,
  right: 'account:write' | 'keys:write' | 'projects:write',
): Promise<Manager> {
  const { app, caller } = context
  if (caller.management) {
    await holdManagementKey(tx, caller, new Date(app.clock.nowMs()))
    return managementManager(caller)
  }
  const own = await holdMembership(tx, caller.accountId, requirePerson(context).personId)
  return own && permissionsOf(own.role).has(right) ? managerOf(own) : fail('INSUFFICIENT_ROLE', { right })
}

/** The keys that somebody sees: developers those that they made, everybody those of the projects that they may use. */
export const visibleKeys = ({ accountId, projectIds, member }: Manager): KeyFilter => ({
  accountId,
  projectIds,
  ...(member?.role === 'developer' && { madeBy: member.personId }),
})

/** Throws the refusal of this caller for a right that it lacks: INSUFFICIENT_ROLE or MANAGEMENT_PERMISSION_REQUIRED (403). */
function refuse({ member }: Manager, right: string): never {
  return member ? fail('INSUFFICIENT_ROLE', { right }) : fail('MANAGEMENT_PERMISSION_REQUIRED', { right })
}

/**
 * Throws for a scope that this manager may not give: no key may do more than whoever gives it the scope. Members are asked for those that are `added`;
 * a management key for all that the key has afterwards, so that it prolongs or opens no key that is stronger than those it makes.
 */
export function requireScopes(
  own: Manager,
  scopes: { all: readonly string[]; added: readonly string[] },
): void {
  const missing = (own.member ? scopes.added : scopes.all).find((scope) => !own.givenScopes.has(scope))
  if (missing === undefined) return
  if (own.member) refuse(own, missing)
  fail('KEY_SCOPE_NOT_GIVEN', { scope: missing, hasKeyScopes: own.givenScopes.size > 0 })
}

/** Throws where a caller without a say over budgets raises or lifts a limit that somebody may have set: it lowers it alone. */
export function requireLowered(own: Manager, before: KeyRow | ProjectRow, caps: Caps): void {
  if (own.rights.has('account:write')) return
  const limits: [number | bigint | null, number | bigint | null | undefined][] = [
    [before.cap, caps.cap],
    [before.month_cap, caps.monthCap],
    [before.rate_per_minute, caps.ratePerMinute],
    [before.concurrency, caps.concurrency],
  ]
  const isRaised = limits.some(
    ([from, to]) => from !== null && to !== undefined && (to === null || to > from),
  )
  if (isRaised) refuse(own, 'account:write')
}
