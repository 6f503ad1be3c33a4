/** Requests of people: their session, the project that they name, and the rights of their role. */
import { type Caller, callerOfPerson, isPermission, requireScope, type SessionRecord } from '#platform/auth'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import type { ActiveRequest } from './active-request.ts'
import type { HttpApp } from './app.ts'
import { sessionCookie } from './cookies.ts'
import type { RequestContext, Route } from './http.ts'
import { cookieFailure, projectHeader } from './own-origin.ts'

/** A factor counts as recent for so long. */
const recentFactorMs = 600_000

/** Whether only people may use the route, never a key. */
export const isOfPeople = ({ scope }: Pick<Route, 'scope'>): boolean =>
  scope === 'person' || isPermission(scope)

/** Whether people may use the route by their sessions. */
export const takesSessions = ({ scope, credentials }: Pick<Route, 'scope' | 'credentials'>): boolean =>
  scope !== 'public' && (credentials?.includes('session') ?? true)

/**
 * Returns the caller of the session whose token this is. Throws CROSS_SITE_REQUEST, NOT_SIGNED_IN, PROJECT_REQUIRED, NOT_FOUND for a project that is
 * not one of the person, INSUFFICIENT_ROLE, STEP_UP_REQUIRED, PERSON_LEAVING, and the refusals of the account.
 */
export async function admitSession(
  app: HttpApp,
  route: Route,
  context: ActiveRequest,
  { token, query }: { token: string; query: Record<string, unknown> },
): Promise<Caller> {
  const refusal = cookieFailure(context, route.socket !== undefined)
  if (refusal) throw refusal
  const isRecent = ({ steppedUpAtMs }: SessionRecord) => app.clock.nowMs() - steppedUpAtMs <= recentFactorMs
  const isBarred = ({ leavesAtMs }: SessionRecord) => leavesAtMs !== undefined && !route.whileLeaving
  let session = await app.sessions.find(token)
  // A factor that was given, or a deletion that was taken back, a moment ago may not have been announced to this process yet.
  if (session && ((route.stepUp && !isRecent(session)) || isBarred(session)))
    session = await app.sessions.findNow(token)
  if (!session) return fail('NOT_SIGNED_IN', {})
  if (isBarred(session)) fail('PERSON_LEAVING', {})
  if (session.renewal) await renewToken(app, route, context, { token, session })
  // What a person sees is for no shared cache.
  context.answerHeaders['cache-control'] ??= 'private, no-cache'
  const caller =
    route.scope === 'person'
      ? callerOfPerson(session)
      : await app.sessions.caller(session, namedProject(route, context, query), {
          needsPlan: route.pays === true || !isOfPeople(route),
          reads: route.method === 'GET' && route.socket === undefined,
          whileClosing: route.whileClosing === true,
          // The claim on an idempotency key is that of the key by which the person pays.
          needsKey:
            mayPay(route) || (route.idempotent === true && context.headers['idempotency-key'] !== undefined),
        })
  if (!caller) return fail('NOT_FOUND', {}, { param: 'X-Kherad-Project' })
  if (route.stepUp && !isRecent(session)) fail('STEP_UP_REQUIRED', {})
  return caller
}

/**
 * Replaces the token of a session whose person has got other rights, so that a token that was stolen before is worth nothing soon. Only the browser that
 * opened the session gets the new one; until then, and while the former token lasts, no other browser is let in. A WebSocket and a request that may pay
 * leave it to the next request: they may be answered after the former token has ended, and the browser would be signed out meanwhile. Throws
 * NOT_SIGNED_IN.
 */
async function renewToken(
  app: HttpApp,
  route: Route,
  context: ActiveRequest,
  { token, session }: { token: string; session: SessionRecord },
): Promise<void> {
  if (!isInOwnBrowser(context, session)) fail('NOT_SIGNED_IN', {})
  if (session.renewal?.isDone || mayPay(route)) return
  const renewed = await app.sessions.renew(session, token)
  if (renewed !== undefined) sessionCookie(context, renewed)
}

/** False for a session whose token is being replaced where the request comes from another browser than the one that opened it. */
export function isInOwnBrowser(
  context: Pick<RequestContext<unknown>, 'cookie'>,
  { renewal }: SessionRecord,
): boolean {
  if (!renewal?.browserHash) return true
  const browser = context.cookie('browser')
  return browser !== undefined && sha256(browser).equals(renewal.browserHash)
}

/** Whether requests to the route may pay: to read costs nothing, and changes nothing. */
const mayPay = (route: Route): boolean =>
  route.pays === true || (!isOfPeople(route) && (route.method !== 'GET' || route.socket !== undefined))

/** Throws what a caller of this kind gets who lacks the right of the route. */
export function requireRightOf({ scope, orScope }: Route, caller: Caller): void {
  if (scope === 'person' && caller.kind !== 'session') fail('SESSION_REQUIRED', {})
  if (scope === 'public' || scope === 'any' || scope === 'person') return
  if (orScope && caller.scopes.has(orScope)) return
  requireScope(caller, scope)
}

/** The person of a request, on routes that only people may use. Throws SESSION_REQUIRED (403). */
export function requirePerson({ caller }: Pick<RequestContext<unknown>, 'caller'>) {
  return caller.person ?? fail('SESSION_REQUIRED', {})
}

/**
 * The id of the project that the request names: by the header, or by the query where an element of a page loads something. The route does not see this
 * parameter. An id that is none is returned as one that nobody has.
 */
export function namedProject(
  route: Route,
  { message, headers }: ActiveRequest,
  query: Record<string, unknown>,
): string | undefined {
  const inQuery = route.method === 'GET' && message.method !== 'OPTIONS' ? query['project'] : undefined
  if (inQuery !== undefined && !hasOwnProject(route)) delete query['project']
  const named = headers[projectHeader] ?? inQuery
  if (named === undefined) return undefined
  return typeof named === 'string' && isUuid(named) ? named.toLowerCase() : nobodysId
}

const nobodysId = '00000000-0000-0000-0000-000000000000'

const hasOwnProject = ({ query }: Route): boolean =>
  'project' in ((query as { properties?: object } | undefined)?.properties ?? {})
