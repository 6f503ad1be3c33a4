/** What the person of a request may see and change of keys and projects. */
import { holdMembership, type Membership, membership, permissionsOf } from '#account/people'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { requirePerson } from '#platform/http'
import type { Caps } from '#platform/ledger'
import type { KeysContext } from './app.ts'
import type { KeyFilter, KeyRow } from './store.ts'

/** The membership of the person in the account of the request, read now. Throws INSUFFICIENT_ROLE (403) for one that has just ended. */
export async function ownMembership(db: Db | Tx, context: Pick<KeysContext, 'caller'>): Promise<Membership> {
  const own = await membership(db, context.caller.accountId, requirePerson(context).personId)
  return own ?? fail('INSUFFICIENT_ROLE', { right: 'account:read' })
}

/**
 * The membership of the person in the account of the request, which stays as it is until the transaction ends. A change takes it after every lock for
 * which it waits. Throws INSUFFICIENT_ROLE (403) for whoever has lost the right while the request was on its way.
 */
export async function heldMembership(
  tx: Tx,
  context: Pick<KeysContext, 'caller'>,
  right: 'account:write' | 'keys:write' | 'projects:write',
): Promise<Membership> {
  const own = await holdMembership(tx, context.caller.accountId, requirePerson(context).personId)
  return own && permissionsOf(own.role).has(right) ? own : fail('INSUFFICIENT_ROLE', { right })
}

/** The keys that a member sees: developers those that they made, everybody those of the projects that they may use. */
export const visibleKeys = ({ accountId, personId, role, projectIds }: Membership): KeyFilter => ({
  accountId,
  projectIds,
  ...(role === 'developer' && { madeBy: personId }),
})

/** Throws INSUFFICIENT_ROLE (403) for a scope that the role of the member does not have: no key may do more than whoever gives it the scope. */
export function requireScopesOf({ role }: Membership, scopes: readonly string[]): void {
  const own = permissionsOf(role)
  const missing = scopes.find((scope) => !own.has(scope))
  if (missing !== undefined) fail('INSUFFICIENT_ROLE', { right: missing })
}

/** Throws INSUFFICIENT_ROLE (403) where a member without a say over budgets raises or lifts a limit of a key that somebody may have set: they lower it alone. */
export function requireLowered({ role }: Membership, before: KeyRow, caps: Caps): void {
  if (permissionsOf(role).has('account:write')) return
  const limits: [number | bigint | null, number | bigint | null | undefined][] = [
    [before.cap, caps.cap],
    [before.month_cap, caps.monthCap],
    [before.rate_per_minute, caps.ratePerMinute],
    [before.concurrency, caps.concurrency],
  ]
  const isRaised = limits.some(
    ([from, to]) => from !== null && to !== undefined && (to === null || to > from),
  )
  if (isRaised) fail('INSUFFICIENT_ROLE', { right: 'account:write' })
}
