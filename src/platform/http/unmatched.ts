/** Requests that match no route: preflights, pages, 405 for an unsupported method, 404. */
import type { IncomingMessage } from 'node:http'
import { Failure } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import { sendFailure } from './answer.ts'
import type { HttpApp } from './app.ts'
import { answerPreflight } from './cors.ts'
import { anywhere, hostPattern, zoneOf, zonesOf } from './host.ts'
import type { Route } from './http.ts'
import type { Pages } from './pages.ts'
import { areParamsValid, compilePath } from './validate.ts'

interface RoutePattern {
  route: Route
  zone: string
  pattern: RegExp
}

/** The path of a route as a pattern, with its parameters as groups. */
export const patternOf = (route: Route): RegExp =>
  new RegExp(
    `^${route.path.replace(/[.]/g, '\\.').replace(/\{[^{}]+\}/g, route.openEnded ? '(.+)' : '([^/]+)')}/?$`,
  )

export function unmatchedHandler(
  app: HttpApp,
  routes: readonly Route[],
  pages?: Pages,
): (context: ActiveRequest) => Promise<void> {
  const zoneOfHost = zonesOf(routes)
  const routePatterns: RoutePattern[] = routes.map((route) => ({
    route,
    zone: zoneOf(route),
    pattern: patternOf(route),
  }))
  return async (context) => {
    const { message } = context
    const method = message.method!
    const path = message.url!.split('?')[0]!
    const zone = zoneOfHost(message.headers.host)
    const here = routePatterns.filter((one) => one.zone === zone && one.pattern.test(path))
    const allowed = [
      ...new Set(here.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))),
    ]
    const preflightTarget = preflightTargetOf(here, message)
    if (preflightTarget && (await answerPreflight(app, context, { methods: allowed, ...preflightTarget })))
      return
    const isForPages = here.length === 0 && zone === anywhere && (method === 'GET' || method === 'HEAD')
    if (isForPages && (await pages?.(context, path))) return
    if (allowed.length > 0) context.answerHeaders['allow'] = allowed.join(', ')
    sendFailure(
      context,
      allowed.length > 0
        ? new Failure('METHOD_NOT_ALLOWED', { method, allowed }, {})
        : new Failure('ROUTE_NOT_FOUND', { method, path: path.slice(0, 200) }, {}),
    )
  }
}

/** The route to which a preflight refers, with the parameters of its path and its host. */
function preflightTargetOf(
  here: readonly RoutePattern[],
  { headers, url }: IncomingMessage,
): { route: Route; params: Record<string, string> } | undefined {
  const wanted = String(headers['access-control-request-method']).replace('HEAD', 'GET')
  const found = here.find(({ route }) => route.method === wanted) ?? here[0]
  if (!found) return undefined
  const { route, pattern } = found
  const names = [...route.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!)
  const [, ...values] = pattern.exec(url!.split('?')[0]!) ?? []
  const inPath = Object.fromEntries(names.map((name, at) => [name, decoded(values[at] ?? '')]))
  const params = { ...inPath, ...(route.host && hostPattern(route.host)(headers.host)) }
  const isAskable =
    typeof route.cors !== 'function' || areParamsValid(route.params && compilePath(route.params), params)
  return isAskable ? { route, params } : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
