/** Requests with a management key: where they come from, what is closed to them, and the project that they name. */
import { type Caller, noPlan } from '#platform/auth'
import { fail } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import { isOfPeople, namedProject } from './admit-session.ts'
import type { HttpApp } from './app.ts'
import type { Route } from './http.ts'
import { visitorOf } from './trusted-proxies.ts'

/**
 * Returns the caller in the project of the request; on a route of the account that names no project, in none. Throws ADDRESS_NOT_ALLOWED,
 * SESSION_REQUIRED for what only people do, PROJECT_KEY_REQUIRED for what only project keys do, MANAGEMENT_PERMISSION_REQUIRED, PLAN_REQUIRED,
 * PROJECT_REQUIRED, and NOT_FOUND for a project of another account.
 */
export async function admitManagementKey(
  app: Pick<HttpApp, 'config' | 'keys'>,
  route: Route,
  context: ActiveRequest,
  { caller, query }: { caller: Caller; query: Record<string, unknown> },
): Promise<Caller> {
  // The address comes first: elsewhere a stolen key learns nothing.
  const { clientAddress } = visitorOf(context, app.config.trustedProxies)
  if (!caller.management!.addresses.has(clientAddress))
    fail('ADDRESS_NOT_ALLOWED', { address: clientAddress })
  if (route.managementKeys === undefined)
    fail(isOfPeople(route) ? 'SESSION_REQUIRED' : 'PROJECT_KEY_REQUIRED', {})
  const { scope } = route
  if (scope !== 'any' && scope !== 'person' && scope !== 'public' && !caller.scopes.has(scope))
    fail('MANAGEMENT_PERMISSION_REQUIRED', { right: scope })
  if (!isOfPeople(route) && caller.plan === noPlan) fail('PLAN_REQUIRED', {})
  app.keys.noteUse(caller)
  context.answerHeaders['cache-control'] ??= 'private, no-cache'
  const named = namedProject(route, context, query)
  if (named === undefined && route.managementKeys === 'account') return caller
  const project = await app.keys.projectOf(caller, named)
  if (project === undefined) return fail('NOT_FOUND', {}, { param: 'X-Kherad-Project' })
  if (project === 'several') return fail('PROJECT_REQUIRED', {})
  return { ...caller, ...project }
}
