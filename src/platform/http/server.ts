import type { Server as NodeServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '#app'
import { asFailure, Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { sendFailure } from './answer.ts'
import { handlerOf } from './handle.ts'
import { zoneConstraint, zoneOf, zonesOf } from './host.ts'
import type { Route } from './http.ts'
import { Intake } from './intake.ts'
import { languageOf } from './language.ts'
import { reasons } from './phrases.ts'
import { refuseSocket } from './refuse-socket.ts'
import { limitRequestTime } from './request-timeout.ts'
import { asksForSocket, Sockets } from './sockets.ts'
import { fastifyFault, handleUnmatched } from './unmatched.ts'

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

export interface ServerOptions {
  app: App
  routes: readonly Route[]
  host: string
  port: number
  /** True when other processes of this machine serve the same port. */
  isWorker?: boolean
  /** Checks every reply against its schema and every error against the route's list; for tests. */
  onViolation?: (violation: Violation) => void
  patience?: Patience
}

/** How long a client may take, in milliseconds. */
export interface Patience {
  headersMs: number
  /** For its whole request, body included. */
  requestMs: number
  /** The same for a form with a file: 200 MB over a connection of 1 Mbit/s. */
  uploadMs: number
  /** How often both are looked at. */
  checkMs: number
}

const standardPatience: Patience = {
  headersMs: 20_000,
  requestMs: 120_000,
  uploadMs: 1_800_000,
  checkMs: 2_000,
}

/**
 * If each worker has its own listening socket, Linux distributes connections evenly; with a shared one, the worker that wakes up first
 * takes a whole burst. On other systems they share one.
 */
const kernelSpreads = process.platform === 'linux'

/** Listens and serves the routes. Disposing drains: no new requests, open answers finish within `drainMs`, then all is closed. */
export async function openServer(options: ServerOptions): Promise<Server> {
  const { app, routes } = options
  const state = { stopping: false }
  const intake = new Intake(app.config.limits.bodyBytesInFlight)
  if (routes.some(({ body }) => body)) app.metrics.bodyBytes.from(() => [[{}, intake.bytes]])
  const webSockets = new Sockets(app)
  const fastify = openFastify(options, state)
  if (routes.some(({ socket }) => socket)) webSockets.listen(fastify)
  for (const route of routes) {
    const handler = handlerOf({ app, route, intake, sockets: webSockets, onViolation: options.onViolation })
    const constraints = hasHosts(routes) && { constraints: { zone: zoneOf(route) } }
    fastify.route({ method: route.method, url: fastifyPath(route), handler, ...constraints })
  }
  handleUnmatched(app, fastify, routes)
  const sockets = new Set<Socket>()
  fastify.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const listening = {
    host: options.host,
    port: options.port,
    reusePort: (options.isWorker ?? false) && kernelSpreads,
  }
  await fastify.listen(listening)

  const { port } = fastify.server.address() as AddressInfo
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async [Symbol.asyncDispose]() {
      state.stopping = true
      const { drainMs } = app.config.timing
      await Promise.all([webSockets.drain(drainMs), drain(fastify, sockets, drainMs)])
    },
  }
}

/** Hosts and upgrades are checked only if a route needs them. */
const hasHosts = (routes: readonly Route[]): boolean => routes.some(({ host }) => host !== undefined)

function openFastify(
  { app, routes, patience = standardPatience }: ServerOptions,
  state: { stopping: boolean },
): FastifyInstance {
  const hasSockets = routes.some(({ socket }) => socket)
  const fastify = Fastify({
    forceCloseConnections: false,
    return503OnClosing: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    genReqId: () => uuidv7(app.clock.nowMs()),
    routerOptions: {
      maxParamLength: 500,
      ignoreTrailingSlash: true,
      ...(hasHosts(routes) && { constraints: { zone: zoneConstraint(zonesOf(routes)) } }),
    },
    exposeHeadRoutes: true,
    // Set explicitly, since Fastify would override the value below with 0.
    requestTimeout: patience.uploadMs,
    http: {
      headersTimeout: patience.headersMs,
      connectionsCheckingInterval: patience.checkMs,
      maxHeaderSize: 16_384,
      // Checked below, so that its refusal has our body.
      requireHostHeader: false,
      ...(hasSockets && { shouldUpgradeCallback: asksForSocket(routes) }),
    },
    clientErrorHandler: refuseSocket,
    // A path that cannot be decoded gets here before any hook.
    frameworkErrors: (error, request, reply) => {
      addCommonHeaders(request, reply)
      sendFailure(reply, asFailure(fastifyFault(error) ?? error), languageOf(request.headers))
    },
    keepAliveTimeout: 65_000,
  })
  // The size of all headers is limited; a limit on their number would silently drop the last ones.
  fastify.server.maxHeadersCount = 0
  // An expectation that Node does not know is ignored, as RFC 9110 section 10.1.1 allows, not answered with a bare 417.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  )
  // Bodies are read by the route itself, after its key is known to be good.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  fastify.addHook('onRequest', (request, reply, done) => {
    limitRequestTime(request.raw, patience.requestMs)
    addCommonHeaders(request, reply)
    const failure = state.stopping
      ? new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, { retryAfterMs: 1000 })
      : doubtful(request)
    if (!failure) return done()
    reply.header('connection', 'close')
    sendFailure(reply, failure, languageOf(request.headers))
  })
  return fastify
}

/** Headers of every answer. */
const addCommonHeaders = (request: FastifyRequest, reply: FastifyReply): void => {
  reply
    .header('x-request-id', request.id)
    .header('request-id', request.id)
    .header('x-content-type-options', 'nosniff')
}

/** Headers that decide what a request means and who pays. Node keeps the first of duplicates, a proxy in front of us may keep the last. */
const once = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'content-encoding',
  'idempotency-key',
  'origin',
])

/** RFC 9112, section 3.2: HTTP/1.1 must name its host, and nobody may name two. */
function doubtful({ raw }: FastifyRequest): Failure | undefined {
  if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
    return new Failure('INVALID_REQUEST', { why: reasons.noHost }, { param: 'Host' })
  const seen = new Set<string>()
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = raw.rawHeaders[at]!
    const known = name.toLowerCase()
    if (!once.has(known)) continue
    if (seen.has(known))
      return new Failure('INVALID_REQUEST', { why: reasons.twoHeaders(known) }, { param: name })
    seen.add(known)
  }
  return undefined
}

async function drain(fastify: FastifyInstance, sockets: ReadonlySet<Socket>, drainMs: number): Promise<void> {
  const server = fastify.server as NodeServer
  const late = setTimeout(() => server.closeAllConnections(), drainMs)
  const idle = setInterval(() => {
    server.closeIdleConnections()
    // Node does not treat connections without any request as idle (browsers open them in advance).
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }, 100)
  try {
    await fastify.close()
  } finally {
    clearTimeout(late)
    clearInterval(idle)
  }
}

const fastifyPath = (route: Route): string =>
  route.openEnded ? route.path.replace(/\{[^{}]+\}$/, '*') : route.path.replace(/\{([^{}]+)\}/g, ':$1')
