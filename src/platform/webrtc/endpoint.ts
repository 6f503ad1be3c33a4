/**
 * The one endpoint of a process: it finds the connection of each datagram, and checks whether the sender may send it
 * (docs/decisions/voice/own-webrtc.md).
 */
import type { Metrics } from '#platform/metrics'
import { type Flow, type Scheduler, scheduler } from '#platform/scheduler'
import { reachableAt } from './addresses.ts'
import { type Certificate, newCertificate } from './certificate.ts'
import { Connection } from './connection.ts'
import { portsToTry } from './free-ports.ts'
import type { Path } from './path.ts'
import type { Peer, PeerHandler, WebRtc } from './peer.ts'
import type { Candidate } from './sdp-answer.ts'
import { readOffer } from './sdp-offer.ts'
import type { WebRtcConfig } from './settings.ts'
import { type DatagramSource, Sockets, type SocketsOptions } from './sockets.ts'
import { type Check, isAuthentic, isStun, readCheck } from './stun.ts'
import { maxDatagramLength } from './tcp-frames.ts'

export interface WebRtcOptions {
  metrics?: Pick<Metrics, 'webrtcConnections' | 'webrtcDropped'>
  /** The monotonic time in milliseconds. */
  nowMs?: () => number
  /** The time from a connection's offer until it must be secure, in milliseconds. */
  connectMs?: number
  /** The scheduler by which connections take turns; by default that of this process. */
  scheduler?: Scheduler
}

const tickMs = 1_000
const connectMs = 10_000

/**
 * Opens the sockets of this process, on the first free port of the range. Throws the system's error if none is free (`EADDRINUSE`), or if an address
 * is not this machine's (`EADDRNOTAVAIL`).
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

const isMalformed = ({ length }: Buffer): boolean => length === 0 || length > maxDatagramLength

export class Endpoint implements WebRtc {
  readonly #config: WebRtcConfig
  readonly #certificate: Certificate
  readonly #options: WebRtcOptions
  readonly #nowMs: () => number
  readonly #scheduler: Scheduler
  /** The flow of TCP connections whose clients have not authenticated yet. */
  readonly #strangers: Flow
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
    this.#scheduler = options.scheduler ?? scheduler
    this.#strangers = this.#scheduler.flow()
  }

  async open(port: number): Promise<void> {
    const { listen, tcp, publicIps } = this.#config
    const handlers: Omit<SocketsOptions, 'listen' | 'tcp'> = {
      received: (datagram, from) => this.#receive(datagram, from),
      framed: (datagram, from) => this.#handle(datagram, from),
      flowOf: (key) => this.#owners.get(key)?.connection.flow ?? this.#strangers,
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
      scheduler: this.#scheduler,
      nowMs: this.#nowMs,
      connectMs: this.#options.connectMs ?? connectMs,
      flooded: () => this.#dropped.flood++,
      over: (paths) => this.#forget(connection, paths),
    })
    this.#connections.set(connection.ufrag, connection)
    this.#options.metrics?.webrtcConnections.inc()
    return connection
  }

  /**
   * Lets a datagram wait for its turn in the flow of its connection. A datagram beyond the bounds of the flow is dropped unread: its sender sends it
   * again.
   */
  #receive(datagram: Buffer, from: DatagramSource): void {
    if (isMalformed(datagram)) {
      this.#dropped.malformed++
      return
    }
    const isCheck = isStun(datagram)
    const connection = isCheck ? this.#named(datagram)?.connection : this.#owners.get(from.key)?.connection
    if (connection === undefined) this.#dropped.stranger += isCheck ? 0 : 1
    else if (!connection.flow.offer(() => this.#handle(datagram, from), datagram.length))
      this.#dropped.flood++
  }

  #handle(datagram: Buffer, from: DatagramSource): void {
    if (isMalformed(datagram)) this.#dropped.malformed++
    else if (isStun(datagram)) this.#check(datagram, from)
    else {
      const owner = this.#owners.get(from.key)
      if (owner === undefined) this.#dropped.stranger++
      else owner.connection.receive(datagram)
    }
  }

  /** The connection that a check names. This costs little, as nothing is proven yet. */
  #named(datagram: Buffer): { check: Check; connection: Connection } | undefined {
    const check = readCheck(datagram)
    const connection = check && this.#connections.get(check.username.slice(0, check.username.indexOf(':')))
    if (check === undefined) this.#dropped.malformed++
    else if (connection?.isNamed(check)) return { check, connection }
    else this.#dropped.stranger++
    return undefined
  }

  /** Processes a check. A sender who does not know the password gets no answer. */
  #check(datagram: Buffer, from: DatagramSource): void {
    const named = this.#named(datagram)
    if (named === undefined) return
    const { check, connection } = named
    if (!isAuthentic(datagram, connection.password)) {
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

  /** Adds the counts to the metrics once a second, since a flood has hundreds of thousands of packets. */
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
