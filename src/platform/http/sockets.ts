/** Manages the WebSockets of a server: upgrades, counts and shutdown. */
import { type IncomingMessage, type Server as NodeServer, ServerResponse } from 'node:http'
import type { Socket as NetSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { Failure, fail } from '#platform/errors'
import { scheduler } from '#platform/scheduler'
import type { ActiveRequest } from './active-request.ts'
import { requireStillAdmitted } from './admit.ts'
import type { HttpApp } from './app.ts'
import { ClientGone } from './body.ts'
import { finish } from './finish.ts'
import { zoneOf, zonesOf } from './host.ts'
import type { Route } from './http.ts'
import type { Connections } from './listener.ts'
import { reasons } from './phrases.ts'
import type { HttpSocket } from './refuse-socket.ts'
import type { ServedSocketOptions, SocketStream } from './socket.ts'
import { SocketConnection } from './socket-line.ts'
import { patternOf } from './unmatched.ts'

/** Close codes of RFC 6455, sections 7.4.1 and 11.7. */
const goingAway = 1001
const policyViolationCode = 1008
const internalErrorCode = 1011
/** The part of a stop that is reserved for the closing handshakes of connections that did not end by themselves. */
const maxHandshakeMs = 1_000

/** A socket that Node has handed over, with the bytes already received. */
interface Upgrade {
  socket: Duplex
  head: Buffer
}

interface AdmittedRequest {
  route: Route
  context: ActiveRequest
}

export class Sockets {
  readonly #app: HttpApp
  readonly #connections: Connections
  readonly #upgrades = new WeakMap<IncomingMessage, Upgrade>()
  readonly #openSockets = new Set<SocketConnection>()
  readonly #ofKeys = new Map<string, number>()
  readonly #stopping = new AbortController()

  constructor(app: HttpApp, connections: Connections) {
    this.#app = app
    this.#connections = connections
  }

  /** Takes over requests for a WebSocket on a path that has a socket route; all other requests are served as ordinary ones. */
  listen(server: NodeServer, serve: (message: IncomingMessage, response: ServerResponse) => void): void {
    this.#app.metrics.sockets.setSource(() => [[{}, this.#openSockets.size]])
    // Many may arrive at once, so they take turns.
    const arriving = scheduler.flow()
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#upgrades.set(request, { socket, head })
      socket.on('error', () => socket.destroy())
      arriving.add(() => {
        if (socket.destroyed) return
        // Until the upgrade the request is answered as any other; no second request is read from its connection.
        const response = new ServerResponse(request)
        response.shouldKeepAlive = false
        response.assignSocket(socket as NetSocket)
        response.once('finish', () => (socket as NetSocket).destroySoon())
        serve(request, response)
      })
    })
  }

  /** Throws for a request that cannot be upgraded. Runs before the handler of a socket route. */
  require({ message, headers, answerHeaders }: ActiveRequest): void {
    const { 'sec-websocket-key': key, 'sec-websocket-version': version } = headers
    if (!this.#upgrades.has(message)) {
      answerHeaders['upgrade'] = 'websocket'
      fail('UPGRADE_REQUIRED', {})
    }
    if (version !== '13' || !/^[+/0-9A-Za-z]{22}==$/.test(key ?? ''))
      fail('INVALID_REQUEST', { why: reasons.noWebSocket }, { param: 'Sec-WebSocket-Version' })
    if (!isProtocolList(headers['sec-websocket-protocol']))
      fail('INVALID_REQUEST', { why: reasons.noProtocols }, { param: 'Sec-WebSocket-Protocol' })
  }

  /** Upgrades the accepted request. Resolves when the connection is closed. */
  async begin({ run, unopened }: SocketStream, admitted: AdmittedRequest): Promise<void> {
    const { route, context } = admitted
    using places = new DisposableStack()
    let line: SocketConnection
    try {
      places.use(this.#enter(context.caller.keyId || route.operation, route.socket!.perKey))
      line = await this.#open(admitted)
    } catch (error) {
      await unopened?.()
      throw error
    }
    context.endConnection = () => line.close(policyViolationCode, 'the session is no longer accepted')
    using _checks = this.#checkKey(line, route, context)
    await this.#talk(run, line, context)
    finish(this.#app, route, context, { status: 101, complete: true })
  }

  async #open({ route, context }: AdmittedRequest): Promise<SocketConnection> {
    const options = route.socket!
    const { WebSocketServer } = await import('ws')
    if (this.#stopping.signal.aborted)
      fail('SERVICE_UNAVAILABLE', { why: 'stopping' }, { retryAfterMs: 1_000 })
    const server = new WebSocketServer(optionsOf(options))
    server.on('headers', (headers) => headers.push(`x-request-id: ${context.requestId}`))
    const upgrade = this.#upgrades.get(context.message)!
    if (upgrade.socket.destroyed) throw new ClientGone()
    context.response.detachSocket(upgrade.socket as NetSocket)
    const ws = await upgradeSocket(server, context.message, upgrade)
    const line = new SocketConnection(ws, options, this.#stopping.signal)
    this.#openSockets.add(line)
    this.#connections.markUpgraded(upgrade.socket as NetSocket)
    const onGone = (): void => {
      this.#openSockets.delete(line)
      context.onClientGone()
    }
    line.gone.addEventListener('abort', onGone, { once: true })
    return line
  }

  async #talk(run: SocketStream['run'], line: SocketConnection, { requestId }: ActiveRequest): Promise<void> {
    try {
      await run(line)
      line.close(line.stopping.aborted ? goingAway : undefined)
    } catch (error) {
      if (!line.gone.aborted) this.#app.log.error({ err: error, request_id: requestId }, 'a WebSocket broke')
      line.close(internalErrorCode)
    }
    await line.whenClosed()
  }

  /** Closes the connection soon after its key was revoked; checks until disposed. While the database is away no key can have been revoked. */
  #checkKey(line: SocketConnection, route: Route, context: ActiveRequest): Disposable {
    const check = (): Promise<void> =>
      requireStillAdmitted(this.#app, route, context).catch((error: unknown) => {
        if (error instanceof Failure && error.status < 500)
          line.close(policyViolationCode, 'the key is no longer accepted')
      })
    const timer = setInterval(() => void check(), route.socket!.keyCheckMs)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** Counts one connection of the key, until disposed. */
  #enter(key: string, max: number): Disposable {
    const taken = this.#ofKeys.get(key) ?? 0
    if (taken >= max) fail('TOO_MANY_CONNECTIONS', { max }, { retryAfterMs: 5_000 })
    this.#ofKeys.set(key, taken + 1)
    return {
      [Symbol.dispose]: () => {
        const left = this.#ofKeys.get(key)! - 1
        if (left === 0) this.#ofKeys.delete(key)
        else this.#ofKeys.set(key, left)
      },
    }
  }

  /**
   * Notifies every handler that this process stops (`stopping`) and leaves it the time that streams have. A connection that is still open is then
   * closed (1001), and cut after `drainMs`.
   */
  async drain(drainMs: number): Promise<void> {
    this.#stopping.abort()
    const handshakeMs = Math.min(maxHandshakeMs, drainMs / 4)
    // The handshakes get their time from the moment at which they begin, even if this process was suspended before.
    let timer = setTimeout(() => {
      this.#closeAll()
      timer = setTimeout(() => this.#cutAll(), handshakeMs)
    }, drainMs - handshakeMs)
    await Promise.all(Array.from(this.#openSockets, (line) => line.whenClosed()))
    clearTimeout(timer)
  }

  #closeAll(): void {
    for (const line of this.#openSockets) line.close(goingAway, 'the server is stopping')
  }

  #cutAll(): void {
    for (const line of this.#openSockets) line.terminate()
  }
}

/**
 * Whether the header is a list of distinct tokens, separated by commas (RFC 6455, section 4.1). The library would refuse others with an answer of its
 * own.
 */
function isProtocolList(header: string | undefined): boolean {
  if (header === undefined) return true
  const names = header.split(',').map((name) => name.trim())
  return new Set(names).size === names.length && names.every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))
}

const optionsOf = ({ messageBytes, protocols }: ServedSocketOptions) => ({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // One message of a socket is read in each turn of the event loop, because one packet may hold thousands.
  allowSynchronousEvents: false,
  maxPayload: messageBytes,
  handleProtocols: (offered: Set<string>) => protocols.find((one) => offered.has(one)) ?? false,
})

/** Throws ClientGone if the client disconnects at this moment. */
const upgradeSocket = (
  server: WebSocketServer,
  request: IncomingMessage,
  { socket, head }: Upgrade,
): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const left = () => reject(new ClientGone())
    socket.once('close', left)
    server.handleUpgrade(request, socket, head, (ws) => {
      socket.off('close', left)
      resolve(ws)
    })
  })

/** Returns the test for requests that are upgraded: those for a WebSocket, on the path and host of a socket route. */
export function socketRequestTest(routes: readonly Route[]): (request: IncomingMessage) => boolean {
  const zoneOfHost = zonesOf(routes)
  const known = routes
    .filter(({ socket }) => socket)
    .map((route) => ({ zone: zoneOf(route), pattern: patternOf(route) }))
  return ({ method, url, headers, socket }) => {
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
    // An earlier request of the connection is still being answered; this one is then served as an ordinary request.
    if ((socket as HttpSocket)._httpMessage) return false
    // A body would be read as the first frames.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
    const path = url!.split('?')[0]!
    const zone = zoneOfHost(headers.host)
    return known.some((one) => one.zone === zone && one.pattern.test(path))
  }
}
