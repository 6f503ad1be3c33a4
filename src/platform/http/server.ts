import type { Server as NodeServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '#app'
import { asFailure, errorBody, Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { sendFailure } from './answer.ts'
import { handlerOf } from './handle.ts'
import type { Route } from './http.ts'
import { languageOf } from './language.ts'

/** An answer that breaks its own declaration: seen by tests, logged in production. */
export interface Violation {
  operation: string
  what: string
}

export interface Server extends AsyncDisposable {
  /** `http://host:port` */
  readonly url: string
  readonly port: number
}

export interface ServerAsk {
  app: App
  routes: readonly Route[]
  host: string
  port: number
  /** Checks every reply against its schema and every error against the route's list; for tests. */
  onViolation?: (violation: Violation) => void
}

/** In milliseconds: a client has this long for its headers and for its whole request. */
const headersTimeoutMs = 20_000
const requestTimeoutMs = 120_000

/** Listens and serves the routes. Disposing drains: no new requests, open answers finish within `drainMs`, then all is closed. */
export async function openServer(ask: ServerAsk): Promise<Server> {
  const { app } = ask
  const state = { stopping: false }
  const fastify = Fastify({
    forceCloseConnections: false,
    return503OnClosing: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    genReqId: () => uuidv7(app.clock.nowMs()),
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    exposeHeadRoutes: false,
    http: { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, maxHeaderSize: 16_384 },
    clientErrorHandler: refuseSocket,
    keepAliveTimeout: 65_000,
  })
  // Bodies are read by the route itself, after its key is known to be good.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('request-id', request.id)
    if (!state.stopping) return done()
    reply.header('connection', 'close')
    sendFailure(reply, new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, { retryAfterMs: 1000 }), languageOf(request.headers))
  })
  for (const route of ask.routes) {
    const url = fastifyPath(route)
    fastify.route({ method: route.method, url, handler: handlerOf(app, route, ask.onViolation) })
  }
  answerStrangers(fastify, ask.routes)
  await fastify.listen({ host: ask.host, port: ask.port })

  const { port } = fastify.server.address() as AddressInfo
  return {
    port,
    url: `http://${ask.host.includes(':') ? `[${ask.host}]` : ask.host}:${port}`,
    async [Symbol.asyncDispose]() {
      state.stopping = true
      await drain(fastify, app.config.timing.drainMs)
    },
  }
}

async function drain(fastify: FastifyInstance, drainMs: number): Promise<void> {
  const server = fastify.server as NodeServer
  const late = setTimeout(() => server.closeAllConnections(), drainMs)
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  try {
    await fastify.close()
  } finally {
    clearTimeout(late)
    clearInterval(idle)
  }
}

const fastifyPath = (route: Route): string =>
  route.openEnded ? route.path.replace(/\{[^}]+\}$/, '*') : route.path.replace(/\{([^}]+)\}/g, ':$1')

/** Paths that no route serves: 404, or 405 where the path is right and the method is not. */
function answerStrangers(fastify: FastifyInstance, routes: readonly Route[]): void {
  const patterns = routes.map((route) => ({
    method: route.method,
    pattern: new RegExp(`^${route.path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, route.openEnded ? '.+' : '[^/]+')}/?$`),
  }))
  fastify.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]!
    const allowed = [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
    const failure =
      allowed.length > 0
        ? new Failure('METHOD_NOT_ALLOWED', { method: request.method, allowed }, {})
        : new Failure('ROUTE_NOT_FOUND', { method: request.method, path: path.slice(0, 200) }, {})
    if (allowed.length > 0) reply.header('allow', allowed.join(', '))
    sendFailure(reply, failure, languageOf(request.headers))
  })
  fastify.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    sendFailure(reply, asFailure(fastifyFault(error) ?? error), languageOf(request.headers))
  })
}

function fastifyFault(error: unknown): Failure | undefined {
  const status = (error as { statusCode?: number }).statusCode
  return status !== undefined && status < 500 ? new Failure('INVALID_REQUEST', { why: 'the request line or a header cannot be read.' }, {}) : undefined
}

/** Requests that never became one: too large headers, timeouts, broken syntax. Answered on the bare socket, then closed. */
function refuseSocket(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const failure =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Failure('HEADERS_TOO_LARGE', {}, {})
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new Failure('REQUEST_TIMEOUT', {}, {})
        : new Failure('INVALID_REQUEST', { why: 'this is not HTTP that can be read.' }, {})
  const id = uuidv7()
  const body = JSON.stringify(errorBody(failure, id, 'en'))
  socket.end(
    `HTTP/1.1 ${failure.status} Refused\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${id}\r\nrequest-id: ${id}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

