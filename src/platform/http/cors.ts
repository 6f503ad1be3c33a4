/** Requests of pages in browsers: opt-in, key by key (https://fetch.spec.whatwg.org/#http-cors-protocol). */
import type { Caller } from '#platform/auth'
import { fail } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import type { HttpApp } from './app.ts'
import type { Route } from './http.ts'

/**
 * The CORS policy of a route: `none` lets no page of another origin read its answers, `any` lets every page (never with credentials: cookies are not
 * sent), and a function lets in the origins that it accepts.
 */
export type CorsPolicy<App> = 'none' | 'any' | OriginCheck<App>

type OriginCheck<App> = (request: OriginCheckRequest<App>) => boolean | Promise<boolean>

/** What the function of a policy gets; `app` is the app of its route. */
interface OriginCheckRequest<App> {
  app: App
  params: Record<string, string>
  origin: string
}

/** The headers of an answer that a page may read. */
const exposed = [
  'X-Request-ID',
  'request-id',
  'X-Credits',
  'X-Microcredits',
  'X-File-Ids',
  'X-Missing-Outputs',
  'X-Truncated-Audio',
  'Idempotent-Replayed',
  'Retry-After',
  'retry-after-ms',
  'x-should-retry',
  'X-Max-Output-Tokens',
  'X-Clamped-Fields',
  'X-Ignored-Fields',
  'X-Mapped-Fields',
  'X-Skipped-Features',
  'Preference-Applied',
  'Location',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Content-Disposition',
].join(', ')

/** Seconds for which a browser caches a preflight. */
const preflightSeconds = '600'
const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,2000}$/

/** The subject of a preflight: the methods of its path, and the route of the requested method. */
interface Preflight {
  methods: readonly string[]
  route: Route
  params: Record<string, string>
}

/** Calls the function of a policy. `openServer` takes only routes whose policies take its app. */
const isAccepted = (
  check: OriginCheck<never>,
  request: OriginCheckRequest<HttpApp>,
): boolean | Promise<boolean> => (check as OriginCheck<HttpApp>)(request)

const allows = (
  policy: CorsPolicy<never>,
  request: OriginCheckRequest<HttpApp>,
): boolean | Promise<boolean> =>
  typeof policy === 'function' ? isAccepted(policy, request) : policy === 'any'

/** Runs before everything else on a route with its own policy, so that pages can read refusals too. */
export async function exposeByPolicy(
  app: HttpApp,
  policy: CorsPolicy<never>,
  params: Record<string, string>,
  context: ActiveRequest,
): Promise<void> {
  const { answerHeaders, headers } = context
  if (policy === 'none') return
  if (policy === 'any') {
    answerHeaders['access-control-allow-origin'] = '*'
    answerHeaders['access-control-expose-headers'] = exposed
    return
  }
  answerHeaders['vary'] = 'Origin'
  const { origin } = headers
  if (origin !== undefined && (await isAccepted(policy, { app, params, origin }))) exposeTo(origin, context)
}

/** Browsers do not apply CORS to WebSockets, so a page that the policy excludes is refused here. */
export function requirePage({ headers: { origin }, answerHeaders }: ActiveRequest): void {
  if (origin !== undefined && answerHeaders['access-control-allow-origin'] === undefined)
    fail('ORIGIN_NOT_ALLOWED', { origin: origin.slice(0, 255) })
}

/** A key that lists origins accepts only those, whatever the route's policy lets a browser read. */
export function requireOrigin({ origins }: Caller, { headers: { origin } }: ActiveRequest): void {
  if (origins && origin !== undefined && !origins.has(origin))
    fail('ORIGIN_NOT_ALLOWED', { origin: origin.slice(0, 255) })
}

/**
 * Answers a preflight whose origin is listed by some key; returns true if it did. A preflight carries no key, so the key's own list is
 * checked on the actual request. Other OPTIONS requests are handled like any method that the path does not support.
 */
export async function answerPreflight(
  app: HttpApp,
  { message, headers, answerHeaders, response }: ActiveRequest,
  { methods, route, params }: Preflight,
): Promise<boolean> {
  const { origin, 'access-control-request-method': method } = headers
  if (message.method !== 'OPTIONS' || origin === undefined || method === undefined) return false
  const isLetIn =
    route.cors === undefined
      ? await app.keys.isListedOrigin(origin)
      : await allows(route.cors, { app, params, origin })
  if (!isLetIn) return false
  const wanted = headers['access-control-request-headers']
  answerHeaders['access-control-allow-origin'] = route.cors === 'any' ? '*' : origin
  answerHeaders['access-control-allow-methods'] = methods.join(', ')
  answerHeaders['access-control-max-age'] = preflightSeconds
  answerHeaders['vary'] = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
  if (typeof wanted === 'string' && headerNames.test(wanted))
    answerHeaders['access-control-allow-headers'] = wanted
  response.writeHead(204, answerHeaders).end()
  return true
}

/**
 * Checks the origin of a browser request. A key with a list of origins accepts only those and sends CORS headers; others get 403
 * ORIGIN_NOT_ALLOWED. A key without a list refuses nobody and sends no CORS headers.
 */
export function admitOrigin(caller: Caller, context: ActiveRequest): void {
  if (!caller.origins) return
  context.answerHeaders['vary'] = 'Origin'
  const { origin } = context.headers
  if (origin === undefined) return
  requireOrigin(caller, context)
  exposeTo(origin, context)
}

/** Lets a page from a listed origin read why its key was refused. */
export async function exposeRefusal(app: Pick<HttpApp, 'keys'>, context: ActiveRequest): Promise<void> {
  const { origin } = context.headers
  // If the origins cannot be looked up, the refusal is sent without CORS headers.
  if (origin !== undefined && (await app.keys.isListedOrigin(origin).catch(() => false)))
    exposeTo(origin, context)
}

function exposeTo(origin: string, { answerHeaders }: ActiveRequest): void {
  answerHeaders['access-control-allow-origin'] = origin
  answerHeaders['access-control-expose-headers'] = exposed
  answerHeaders['vary'] = 'Origin'
}
