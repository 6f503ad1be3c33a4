/** Finds the route of a request by method, path and host. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import FindMyWay from 'find-my-way'
import { asFailure, Failure } from '#platform/errors'
import { ActiveRequest } from './active-request.ts'
import { sendFailure } from './answer.ts'
import type { HttpApp } from './app.ts'
import type { Handler } from './handle.ts'
import { zoneConstraint, zoneOf, zonesOf } from './host.ts'
import type { Route } from './http.ts'
import type { Pages } from './pages.ts'
import { reasons } from './phrases.ts'
import { unmatchedHandler } from './unmatched.ts'

interface RouterOptions {
  app: HttpApp
  routes: readonly Route[]
  pages?: Pages | undefined
  /** Returns false for a request that was refused, whatever its path. */
  admitted: (context: ActiveRequest) => boolean
  handlerOf: (route: Route) => Handler
}

/** Logs the error and cuts the connection: an answer that cannot be sent, not even as a failure, is a defect. */
function logAndDestroy({ app, response, requestId }: ActiveRequest, error: unknown): void {
  app.log.error({ err: error, request_id: requestId }, 'an answer broke')
  response.destroy()
}

/** Returns the listener of requests. Paths without a route go to `unmatchedHandler`; paths that cannot be decoded are answered NOT_FOUND. */
export function routerOf({ app, routes, pages, admitted, handlerOf }: RouterOptions) {
  const answerUnmatched = unmatchedHandler(app, routes, pages)
  const refuse = (message: IncomingMessage, response: ServerResponse, failure: Failure): void =>
    sendFailure(new ActiveRequest(app, message, response), failure)
  const onBadUrl = (_path: string, message: IncomingMessage, response: ServerResponse): void =>
    refuse(message, response, new Failure('NOT_FOUND', {}, {}))
  /** A second router, which decodes the paths of requests that match no route. */
  const unmatched = FindMyWay({ onBadUrl })
  const onUnmatched = (message: IncomingMessage, response: ServerResponse): void => {
    const context = new ActiveRequest(app, message, response)
    if (admitted(context)) answerUnmatched(context).catch((error) => sendFailure(context, asFailure(error)))
  }
  unmatched.all('/*', onUnmatched)
  // The host of a request is read only if a route needs it.
  const hasHosts = routes.some(({ host }) => host !== undefined)
  const router = FindMyWay({
    maxParamLength: 500,
    ignoreTrailingSlash: true,
    ...(hasHosts && { constraints: { zone: zoneConstraint(zonesOf(routes)) } }),
    onBadUrl,
    onMaxParamLength: (_path, message, response) => refuse(message, response, badRequestLine()),
    defaultRoute: (message, response) => unmatched.lookup(message, response),
  })
  for (const route of routes) {
    const handle = handlerOf(route)
    router.on(
      route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
      routerPath(route),
      hasHosts ? { constraints: { zone: zoneOf(route) } } : {},
      (message, response, params, _store, query) => {
        const context = new ActiveRequest(app, message, response, route)
        if (admitted(context))
          handle(context, { params, query }).catch((error) => logAndDestroy(context, error))
      },
    )
  }
  return (message: IncomingMessage, response: ServerResponse): void => router.lookup(message, response)
}

export const badRequestLine = (): Failure =>
  new Failure('INVALID_REQUEST', { why: reasons.badRequestLine }, {})

const routerPath = (route: Route): string =>
  route.openEnded ? route.path.replace(/\{[^{}]+\}$/, '*') : route.path.replace(/\{([^{}]+)\}/g, ':$1')
