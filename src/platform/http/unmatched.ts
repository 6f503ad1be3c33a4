/** Requests without a route: preflights, 405 for an unsupported method, 404, and requests that cannot be parsed. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '#app'
import { asFailure, Failure } from '#platform/errors'
import { sendFailure } from './answer.ts'
import { answerPreflight } from './cors.ts'
import { hostPattern, zoneOf, zonesOf } from './host.ts'
import type { Route } from './http.ts'
import { languageOf } from './language.ts'
import { reasons } from './phrases.ts'
import { compilePath, passes } from './validate.ts'

interface Known {
  route: Route
  zone: string
  pattern: RegExp
}

/** The path of a route as a pattern, with its parameters as groups. */
export const patternOf = (route: Route): RegExp =>
  new RegExp(
    `^${route.path.replace(/[.]/g, '\\.').replace(/\{[^{}]+\}/g, route.openEnded ? '(.+)' : '([^/]+)')}/?$`,
  )

export function handleUnmatched(app: App, fastify: FastifyInstance, routes: readonly Route[]): void {
  const zoneOfHost = zonesOf(routes)
  const known: Known[] = routes.map((route) => ({
    route,
    zone: zoneOf(route),
    pattern: patternOf(route),
  }))
  fastify.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0]!
    const zone = zoneOfHost(request.headers.host)
    const here = known.filter((one) => one.zone === zone && one.pattern.test(path))
    const allowed = [
      ...new Set(here.flatMap(({ route: { method } }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ]
    const asked = askedFor(here, request)
    if (asked && (await answerPreflight(app, request, reply, { methods: allowed, ...asked }))) return reply
    const failure =
      allowed.length > 0
        ? new Failure('METHOD_NOT_ALLOWED', { method: request.method, allowed }, {})
        : new Failure('ROUTE_NOT_FOUND', { method: request.method, path: path.slice(0, 200) }, {})
    if (allowed.length > 0) reply.header('allow', allowed.join(', '))
    sendFailure(reply, failure, languageOf(request.headers))
    return reply
  })
  fastify.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    sendFailure(reply, asFailure(fastifyFault(error) ?? error), languageOf(request.headers))
  })
}

/** The route of the path that a preflight is about, with what stands in its path and its host. */
function askedFor(
  here: readonly Known[],
  { headers, url }: FastifyRequest,
): { route: Route; params: Record<string, string> } | undefined {
  const wanted = String(headers['access-control-request-method']).replace('HEAD', 'GET')
  const found = here.find(({ route }) => route.method === wanted) ?? here[0]
  if (!found) return undefined
  const { route, pattern } = found
  const names = [...route.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!)
  const [, ...values] = pattern.exec(url.split('?')[0]!) ?? []
  const inPath = Object.fromEntries(names.map((name, at) => [name, decoded(values[at] ?? '')]))
  const params = { ...inPath, ...(route.host && hostPattern(route.host)(headers.host)) }
  const isAskable =
    typeof route.cors !== 'function' || passes(route.params && compilePath(route.params), params)
  return isAskable ? { route, params } : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function fastifyFault(error: unknown): Failure | undefined {
  const status = (error as { statusCode?: number }).statusCode
  if ((error as { code?: string }).code === 'FST_ERR_BAD_URL') return new Failure('NOT_FOUND', {}, {})
  return status !== undefined && status < 500
    ? new Failure('INVALID_REQUEST', { why: reasons.badRequestLine }, {})
    : undefined
}
