import type { IncomingMessage } from 'node:http'
import { Failure } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import { sendFailure } from './answer.ts'
import type { HttpApp } from './app.ts'
import { handlerOf } from './handle.ts'
import type { Route } from './http.ts'
import { BodyMemory } from './intake.ts'
import {
  Connections,
  defaultTimeouts,
  openListener,
  type RequestListener,
  type Timeouts,
} from './listener.ts'
import { foreignPageFailure } from './own-origin.ts'
import type { Pages } from './pages.ts'
import { ambiguityFailure } from './request-line.ts'
import { limitRequestTime } from './request-timeout.ts'
import { badRequestLine, routerOf } from './router.ts'
import { Sockets, socketRequestTest } from './sockets.ts'

/** An answer that violates its route's declaration: an error in tests, a log line in production. */
export interface Violation {
  operation: string
  what: string
}

export interface Server extends AsyncDisposable {
  /** `http://host:port` */
  readonly url: string
  readonly port: number
}

export interface ServerOptions<App extends HttpApp> {
  app: App
  /** Routes whose handlers and policies take this app, or a part of it. */
  routes: readonly Route<App>[]
  host: string
  port: number
  /** True if other processes of this machine serve the same port. */
  isWorker?: boolean
  /** Checks every reply against its schema and every error against the route's list; for tests. */
  onViolation?: (violation: Violation) => void
  timeouts?: Timeouts
  /** Who answers GET requests that match no route, such as those of pages. */
  pages?: Pages | undefined
  /** Another zone on the same port. */
  sharedZone?: Zone | undefined
}

/** A zone that shares the port of the routes: requests for its hosts reach neither the routes nor their checks. */
export interface Zone {
  isForZone(message: IncomingMessage): boolean
  serve: RequestListener
}

/**
 * Listens and serves the routes. Disposing drains: no new requests are accepted, open answers may finish within `drainMs`, those of calls whose
 * result is being stored within `storedDrainMs`, then everything is closed.
 */
export async function openServer<App extends HttpApp>(options: ServerOptions<App>): Promise<Server> {
  const { app, routes, pages, sharedZone: beside } = options
  const connections = new Connections()
  const intake = new BodyMemory(app.config)
  if (routes.some(({ body }) => body)) app.metrics.bodyBytes.setSource(() => [[{}, intake.bytes]])
  const webSockets = new Sockets(app, connections)
  const route = routerOf({
    app,
    routes,
    pages,
    admitted: gateOf(options, connections),
    handlerOf: (route) =>
      handlerOf({ app, route, intake, sockets: webSockets, onViolation: options.onViolation }),
  })
  const serve: RequestListener = beside
    ? (message, response) => (beside.isForZone(message) ? beside.serve : route)(message, response)
    : route
  const isSocket = routes.some(({ socket }) => socket) ? socketRequestTest(routes) : undefined
  const listener = await openListener(
    {
      ...options,
      serve,
      takesSocket: isSocket && ((message) => isSocket(message) && !beside?.isForZone(message)),
      onOpen: isSocket && ((server) => webSockets.listen(server, serve)),
    },
    connections,
  )
  return {
    port: listener.port,
    url: listener.url,
    async [Symbol.asyncDispose]() {
      const { drainMs, storedDrainMs } = app.config.timing
      const isStoring = (requestId: string): boolean => app.ledger.isStoring(requestId)
      await Promise.all([webSockets.drain(drainMs), listener.drain({ drainMs, storedDrainMs, isStoring })])
    },
  }
}

/** Returns the checks of every request, whatever its path. They return false if the request was refused. */
function gateOf(
  { timeouts: patience = defaultTimeouts }: { timeouts?: Timeouts },
  connections: Connections,
): (context: ActiveRequest) => boolean {
  return (context) => {
    const { message, answerHeaders } = context
    connections.noteRequest(message.socket, context.requestId)
    context.timeLimit = limitRequestTime(message, patience.requestMs)
    const refusal = connections.stopping
      ? new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, { retryAfterMs: 1000 })
      : ambiguityFailure(message)
    if (refusal) answerHeaders['connection'] = 'close'
    const failure = refusal ?? (hasBadContentType(message) ? badRequestLine() : foreignPageFailure(context))
    if (failure) sendFailure(context, failure)
    return failure === undefined
  }
}

/** Whether a request that may have a body names an invalid content type, or none where it must. */
function hasBadContentType({ method, headers: { 'content-type': type } }: IncomingMessage): boolean {
  if (type === 'application/json' || !methodsWithBody.has(method!)) return false
  return type === undefined ? method === 'QUERY' : !mediaType.test(type)
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/
