/** The one endpoint of a process: whose a datagram is, and whether anybody may send it (docs/decisions/0086). */
import type { Metrics } from '#platform/metrics'
import { reachableAt } from './addresses.ts'
import { type Certificate, newCertificate } from './certificate.ts'
import { Connection } from './connection.ts'
import { portsToTry } from './free-ports.ts'
import type { Path } from './path.ts'
import type { Peer, PeerHandler, WebRtc } from './peer.ts'
import type { Candidate } from './sdp-answer.ts'
import { readOffer } from './sdp-offer.ts'
import type { WebRtcConfig } from './settings.ts'
import { Sockets, type SocketsOptions, type Source } from './sockets.ts'
import { isAuthentic, isStun, readCheck } from './stun.ts'
import { longestDatagram } from './tcp-frames.ts'

export interface WebRtcOptions {
  metrics?: Pick<Metrics, 'webrtcConnections' | 'webrtcDropped'>
  /** Monotonic time in milliseconds. */
  nowMs?: () => number
  /** How long a connection has from its offer until it is secure. */
  connectMs?: number
}

const tickMs = 1_000
const connectMs = 10_000

/**
 * Opens the sockets of this process, on the first port of the range that is free.
 * Throws what the system says where none is (`EADDRINUSE`), or an address is not this machine's (`EADDRNOTAVAIL`).
 */
export async function openEndpoint(config: WebRtcConfig, options: WebRtcOptions = {}): Promise<Endpoint> {
  const certificate = await newCertificate()
  const endpoint = new Endpoint(config, certificate, options)
  const ports = portsToTry(config.ports)
  for (const [i, port] of ports.entries()) {
    try {
      await endpoint.open(port)
      return endpoint
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const isTaken = code === 'EADDRINUSE' || code === 'EACCES'
      if (!isTaken || i === ports.length - 1) throw error
    }
  }
  throw new Error('The range of ports is empty.')
}

export class Endpoint implements WebRtc {
  readonly #config: WebRtcConfig
  readonly #certificate: Certificate
  readonly #options: WebRtcOptions
  readonly #nowMs: () => number
  readonly #connections = new Map<string, Connection>()
  readonly #owners = new Map<string, { connection: Connection; path: Path }>()
  readonly #dropped = { stranger: 0, malformed: 0, flood: 0 }
  #sockets: Sockets | undefined
  #candidates: readonly Candidate[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(config: WebRtcConfig, certificate: Certificate, options: WebRtcOptions) {
    this.#config = config
    this.#certificate = certificate
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  async open(port: number): Promise<void> {
    const { listen, tcp, publicIps } = this.#config
    const handlers: Pick<SocketsOptions, 'received' | 'gone' | 'malformed'> = {
      received: (datagram, from) => this.#receive(datagram, from),
      gone: (key) => this.#lose(key),
      malformed: () => this.#dropped.malformed++,
    }
    this.#sockets = await Sockets.open(port, { listen, tcp, ...handlers })
    const { port: chosen, addresses } = this.#sockets
    const reachable = [...new Set(addresses.flatMap((address) => reachableAt(address, publicIps)))]
    const transports = tcp ? (['udp', 'tcp'] as const) : (['udp'] as const)
    this.#candidates = transports.flatMap((transport) =>
      reachable.map((address) => ({ transport, address, port: chosen })),
    )
    this.#timer = setInterval(() => this.#tick(), tickMs).unref()
  }

  get port(): number {
    return this.#sockets!.port
  }

  answer(offer: string, handler: PeerHandler): Peer {
    const connection: Connection = new Connection({
      offer: readOffer(offer),
      certificate: this.#certificate,
      candidates: this.#candidates,
      handler,
      nowMs: this.#nowMs,
      connectMs: this.#options.connectMs ?? connectMs,
      flooded: () => this.#dropped.flood++,
      over: (paths) => this.#forget(connection, paths),
    })
    this.#connections.set(connection.ufrag, connection)
    this.#options.metrics?.webrtcConnections.inc()
    return connection
  }

  #receive(datagram: Buffer, from: Source): void {
    if (datagram.length === 0 || datagram.length > longestDatagram) this.#dropped.malformed++
    else if (isStun(datagram)) this.#check(datagram, from)
    else {
      const owner = this.#owners.get(from.key)
      if (owner === undefined) this.#dropped.stranger++
      else owner.connection.receive(datagram)
    }
  }

  /** Nothing is said to whoever does not know the password. */
  #check(datagram: Buffer, from: Source): void {
    const check = readCheck(datagram)
    if (check === undefined) {
      this.#dropped.malformed++
      return
    }
    const connection = this.#connections.get(check.username.slice(0, check.username.indexOf(':')))
    if (!connection?.isNamed(check) || !isAuthentic(datagram, connection.password)) {
      this.#dropped.stranger++
      return
    }
    const owner = this.#owners.get(from.key)
    if (owner !== undefined && owner.connection !== connection) this.#lose(from.key)
    const path = owner?.connection === connection ? owner.path : from.path()
    if (connection.check(check, path)) this.#owners.set(from.key, { connection, path })
  }

  #lose(key: string): void {
    const owner = this.#owners.get(key)
    this.#owners.delete(key)
    owner?.connection.lost(owner.path)
  }

  #forget(connection: Connection, paths: Iterable<Path>): void {
    this.#connections.delete(connection.ufrag)
    for (const { key } of paths) this.#owners.delete(key)
    this.#options.metrics?.webrtcConnections.dec()
  }

  #tick(): void {
    for (const connection of this.#connections.values()) connection.tick()
    this.#count()
  }

  /** Once a second, since a flood is counted by hundreds of thousands. */
  #count(): void {
    for (const reason of ['stranger', 'malformed', 'flood'] as const) {
      this.#options.metrics?.webrtcDropped.inc({ reason }, this.#dropped[reason])
      this.#dropped[reason] = 0
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    for (const connection of this.#connections.values()) connection.close()
    this.#count()
    await this.#sockets?.[Symbol.asyncDispose]()
  }
}
