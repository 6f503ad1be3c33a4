/** What all listeners of the program share: addresses, timeouts, open connections, and the drain at their end. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { refuseSocket } from './refuse-socket.ts'

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  headersMs: number
  /** The time for a whole request, body included. */
  requestMs: number
  /** The time for a whole form with a file: 200 MB over a connection of 1 Mbit/s. */
  uploadMs: number
  /** How often these limits are checked. */
  checkMs: number
}

export const defaultTimeouts: Timeouts = {
  headersMs: 20_000,
  requestMs: 120_000,
  uploadMs: 1_800_000,
  checkMs: 2_000,
}

export type RequestListener = (message: IncomingMessage, response: ServerResponse) => void

export interface ListenerOptions {
  host: string
  port: number
  /** True if other processes of this machine serve the same port. */
  isWorker?: boolean | undefined
  timeouts?: Timeouts | undefined
  serve: RequestListener
  /** Which requests are upgraded to a WebSocket; if absent, none. */
  takesSocket?: ((message: IncomingMessage) => boolean) | undefined
  /** Runs for each server before it listens. */
  onOpen?: ((server: NodeServer) => void) | undefined
}

/**
 * If each worker has its own listening socket, Linux distributes connections evenly; with a shared one, the worker that wakes up first takes a whole
 * burst. On other systems the workers share one socket.
 */
const kernelSpreads = process.platform === 'linux'

/** How long a stop lets open answers continue, in milliseconds. */
export interface DrainTimes {
  drainMs: number
  /** The time for calls whose result is being stored (`isStoring`, by the id of the request). */
  storedDrainMs?: number
  isStoring?: (requestId: string) => boolean
}

/** The open connections of one listener. */
export class Connections {
  /** True from the beginning of the drain: from then on no request is accepted. */
  stopping = false
  /** The open connections, each with the id of its latest request; empty before the first. */
  readonly #open = new Map<Socket, string>()
  readonly #upgraded = new WeakSet<Socket>()

  add(socket: Socket): void {
    this.#open.set(socket, '')
    socket.once('close', () => this.#open.delete(socket))
  }

  /** Records the latest request of a connection. */
  noteRequest(socket: Socket, requestId: string): void {
    if (!socket.destroyed) this.#open.set(socket, requestId)
  }

  /**
   * Marks a connection as taken over by a WebSocket: the drain of WebSockets closes it, and the drain here only if it is still open a while later.
   */
  markUpgraded(socket: Socket): void {
    this.#upgraded.add(socket)
  }

  /** Resolves when all servers are closed: idle connections are closed at once, the others when their answers are complete or their time is over. */
  async drain(
    servers: readonly NodeServer[],
    { drainMs, storedDrainMs = drainMs, isStoring = () => false }: DrainTimes,
  ): Promise<void> {
    this.stopping = true
    const beganMs = performance.now()
    const cutMs = new Map<Socket, number>()
    const ticks = setInterval(() => {
      for (const server of servers) server.closeIdleConnections()
      const nowMs = performance.now() - beganMs
      for (const [socket, requestId] of this.#open) {
        // Once the result is stored, the call gets the time of any other answer.
        if (isStoring(requestId)) cutMs.set(socket, Math.min(nowMs + drainMs, storedDrainMs))
        // Connections that browsers open in advance are closed here, because Node does not treat them as idle.
        const endMs = cutMs.get(socket) ?? (this.#upgraded.has(socket) ? drainMs + upgradedMs : drainMs)
        if (socket.bytesRead === 0 || nowMs >= endMs) socket.destroy()
      }
    }, tickMs)
    try {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    } finally {
      clearInterval(ticks)
    }
  }
}

const tickMs = 100
const upgradedMs = 5_000

export interface Listener {
  /** `http://host:port` */
  readonly url: string
  readonly port: number
  drain(times: DrainTimes): Promise<void>
}

/** Listens and passes every request to `serve`. */
export async function openListener(options: ListenerOptions, connections: Connections): Promise<Listener> {
  const { host } = options
  const servers = await listenOn(() => nodeServer(options, connections), {
    host,
    port: options.port,
    reusePort: (options.isWorker ?? false) && kernelSpreads,
  })
  const { port } = servers[0]!.address() as AddressInfo
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    drain: (times) => connections.drain(servers, times),
  }
}

function nodeServer(
  { timeouts: patience = defaultTimeouts, serve, takesSocket, onOpen }: ListenerOptions,
  connections: Connections,
): NodeServer {
  const options = {
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.checkMs,
    maxHeaderSize: 16_384,
    // `serve` checks the host itself, so that the refusal has our error body.
    requireHostHeader: false,
    ...(takesSocket && { shouldUpgradeCallback: takesSocket }),
  }
  const server = createServer(options, serve)
  server.requestTimeout = patience.uploadMs
  server.keepAliveTimeout = 65_000
  server.on('clientError', refuseSocket)
  // The size of all headers is limited; a limit on their number would silently drop the last ones.
  server.maxHeadersCount = 0
  // An expectation that Node does not know is ignored, as RFC 9110 section 10.1.1 allows, not answered with a bare 417.
  server.on('checkExpectation', serve)
  server.on('connection', (socket: Socket) => connections.add(socket))
  onOpen?.(server)
  return server
}

/**
 * Connections that wait to be accepted, as many as Linux keeps by default. Of more than half as many as it may keep, it forgets those that have waited
 * for seconds, whose clients count them as open and are reset at their first byte: a thousand readers at once did that to Node's own 511.
 */
const backlog = 4_096

const loopbackAddresses = ['127.0.0.1', '::1']

/** Listens on the host. `localhost` means both loopback addresses if the machine has both, whichever its resolver names. */
async function listenOn(
  open: () => NodeServer,
  { host, port, reusePort }: { host: string; port: number; reusePort: boolean },
): Promise<NodeServer[]> {
  const listen = async (address: string, at: number): Promise<NodeServer> => {
    const server = open()
    server.listen({ host: address, port: at, reusePort, backlog })
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
