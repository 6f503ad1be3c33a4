import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { App } from '#app'
import { Failure } from '#platform/errors'
import type { ActiveRequest } from './active-request.ts'
import { sendFailure } from './answer.ts'
import { handlerOf } from './handle.ts'
import type { Route } from './http.ts'
import { Intake } from './intake.ts'
import { reasons } from './phrases.ts'
import { refuseSocket } from './refuse-socket.ts'
import { limitRequestTime } from './request-timeout.ts'
import { badRequestLine, routerOf } from './router.ts'
import { asksForSocket, Sockets } from './sockets.ts'

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

/**
 * Listens and serves the routes. Disposing drains: no new requests, open answers finish within `drainMs`, those of calls whose result is being
 * stored within `storedDrainMs`, then all is closed.
 */
export async function openServer(options: ServerOptions): Promise<Server> {
  const { app, routes } = options
  const state: State = { stopping: false, connections: new Map() }
  const intake = new Intake(app.config.limits.bodyBytesInFlight)
  if (routes.some(({ body }) => body)) app.metrics.bodyBytes.from(() => [[{}, intake.bytes]])
  const webSockets = new Sockets(app)
  const serve = routerOf({
    app,
    routes,
    admitted: gateOf(options, state),
    handlerOf: (route) =>
      handlerOf({ app, route, intake, sockets: webSockets, onViolation: options.onViolation }),
  })
  const open = (): NodeServer => {
    const server = nodeServer(options, state, serve)
    if (routes.some(({ socket }) => socket)) webSockets.listen(server, serve)
    return server
  }
  const servers = await listenOn(open, {
    host: options.host,
    port: options.port,
    reusePort: (options.isWorker ?? false) && kernelSpreads,
  })
  const { port } = servers[0]!.address() as AddressInfo
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async [Symbol.asyncDispose]() {
      state.stopping = true
      await Promise.all([webSockets.drain(app.config.timing.drainMs), drain(servers, state, app)])
    },
  }
}

interface State {
  stopping: boolean
  /** Open connections, each with the id of its latest request; empty before its first. */
  connections: Map<Socket, string>
}

function nodeServer(
  { routes, patience = standardPatience }: ServerOptions,
  { connections }: State,
  serve: (message: IncomingMessage, response: ServerResponse) => void,
): NodeServer {
  const hasSockets = routes.some(({ socket }) => socket)
  const options = {
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.checkMs,
    maxHeaderSize: 16_384,
    // Checked below, so that its refusal has our body.
    requireHostHeader: false,
    ...(hasSockets && { shouldUpgradeCallback: asksForSocket(routes) }),
  }
  const server = createServer(options, serve)
  server.requestTimeout = patience.uploadMs
  server.keepAliveTimeout = 65_000
  server.on('clientError', refuseSocket)
  // The size of all headers is limited; a limit on their number would silently drop the last ones.
  server.maxHeadersCount = 0
  // An expectation that Node does not know is ignored, as RFC 9110 section 10.1.1 allows, not answered with a bare 417.
  server.on('checkExpectation', serve)
  server.on('connection', (socket: Socket) => {
    connections.set(socket, '')
    socket.once('close', () => connections.delete(socket))
  })
  return server
}

const loopbackAddresses = ['127.0.0.1', '::1']

/** `localhost` is both loopback addresses where the machine has both, whichever its resolver names. */
async function listenOn(
  open: () => NodeServer,
  { host, port, reusePort }: { host: string; port: number; reusePort: boolean },
): Promise<NodeServer[]> {
  const listen = async (address: string, at: number): Promise<NodeServer> => {
    const server = open()
    server.listen({ host: address, port: at, reusePort })
    await once(server, 'listening')
    return server
  }
  const first = await listen(host, port)
  if (host !== 'localhost') return [first]
  const own = first.address() as AddressInfo
  const others = loopbackAddresses.filter((address) => address !== own.address)
  const second = await Promise.allSettled(others.map((address) => listen(address, own.port)))
  return [first, ...second.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))]
}

/** The checks of every request, whatever its path. Returns false if it was refused. */
function gateOf(
  { patience = standardPatience }: ServerOptions,
  state: State,
): (context: ActiveRequest) => boolean {
  return (context) => {
    const { message, answerHeaders } = context
    if (!message.socket.destroyed) state.connections.set(message.socket, context.requestId)
    context.timeLimit = limitRequestTime(message, patience.requestMs)
    const doubt = state.stopping
      ? new Failure('SERVICE_UNAVAILABLE', { why: 'stopping' }, { retryAfterMs: 1000 })
      : doubtful(message)
    if (doubt) answerHeaders['connection'] = 'close'
    const failure = doubt ?? (namesNoType(message) ? badRequestLine() : undefined)
    if (failure) sendFailure(context, failure)
    return failure === undefined
  }
}

/** Whether a request that may have a body names a type that is none. */
function namesNoType({ method, headers: { 'content-type': type } }: IncomingMessage): boolean {
  if (type === 'application/json' || !methodsWithBody.has(method!)) return false
  return type === undefined ? method === 'QUERY' : !mediaType.test(type)
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/** Headers that decide what a request means and who pays. Node keeps the first of duplicates, a proxy in front of us may keep the last. */
const singular = new Set([
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
function doubtful({ httpVersion, headers, rawHeaders }: IncomingMessage): Failure | undefined {
  if (httpVersion === '1.1' && headers.host === undefined)
    return new Failure('INVALID_REQUEST', { why: reasons.noHost }, { param: 'Host' })
  for (let at = 2; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const known = name.toLowerCase()
    if (!singular.has(known)) continue
    for (let before = 0; before < at; before += 2)
      if (rawHeaders[before]!.length === name.length && rawHeaders[before]!.toLowerCase() === known)
        return new Failure('INVALID_REQUEST', { why: reasons.twoHeaders(known) }, { param: name })
  }
  return undefined
}

const tickMs = 100

async function drain(servers: readonly NodeServer[], { connections }: State, app: App): Promise<void> {
  const { drainMs, storedDrainMs } = app.config.timing
  const beganMs = performance.now()
  const cutMs = new Map<Socket, number>()
  const ticks = setInterval(() => {
    for (const server of servers) server.closeIdleConnections()
    const nowMs = performance.now() - beganMs
    for (const [socket, requestId] of connections) {
      // Once its result is stored, it has the time of any other answer.
      if (app.ledger.isStoring(requestId)) cutMs.set(socket, Math.min(nowMs + drainMs, storedDrainMs))
      // Browsers open connections in advance, which Node does not treat as idle.
      if (socket.bytesRead === 0 || nowMs >= (cutMs.get(socket) ?? drainMs)) socket.destroy()
    }
  }, tickMs)
  try {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  } finally {
    clearInterval(ticks)
  }
}
