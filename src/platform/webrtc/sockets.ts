/** The sockets of an endpoint: at each address one for UDP and one for TCP, all with the same port. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket as TcpSocket } from 'node:net'
import { type Deadline, deadlines } from '#platform/clock'
import type { Flow } from '#platform/scheduler'
import type { Path } from './path.ts'
import { FrameReader, frame } from './tcp-frames.ts'

export interface SocketsOptions {
  listen: readonly string[]
  tcp: boolean
  /** Called for a UDP datagram; `from.path()` makes the path back to its sender, which is kept if the datagram proves authentic. */
  received(datagram: Buffer, from: DatagramSource): void
  /** Called for a datagram over TCP, which has waited for its turn in the flow of its key. */
  framed(datagram: Buffer, from: DatagramSource): void
  flowOf(key: string): Flow
  /** Called when the TCP connection with this key has ended. */
  gone(key: string): void
  malformed(): void
}

export interface DatagramSource {
  /** The key, which is the same for all datagrams of a path. */
  readonly key: string
  path(): Path
}

/** The limits of TCP connections whose clients have not authenticated. */
const strangers = { most: 64, ms: 5_000, bytes: 4_096 } as const
const bufferBytes = 1_048_576
const lingerMs = 1_000
const noSuchFamily = new Set<string | undefined>(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])

export class Sockets implements AsyncDisposable {
  readonly #options: SocketsOptions
  readonly #udp: UdpSocket[] = []
  readonly #tcp: Server[] = []
  readonly #open = new Set<TcpSocket>()
  /** The addresses of `listen` that this machine has. */
  readonly addresses: string[] = []
  port: number
  #strangers = 0

  private constructor(port: number, options: SocketsOptions) {
    this.port = port
    this.#options = options
  }

  /** Opens all sockets or none. With `port` 0 the system chooses the port. Throws the system's error for a port that is taken. */
  static async open(port: number, options: SocketsOptions): Promise<Sockets> {
    const sockets = new Sockets(port, options)
    try {
      for (const address of options.listen) await sockets.#openAt(address)
      return sockets
    } catch (error) {
      await sockets[Symbol.asyncDispose]()
      throw error
    }
  }

  async #openAt(address: string): Promise<void> {
    try {
      this.port = await this.#openUdp(address, this.port)
    } catch (error) {
      // A machine without IPv6 serves only IPv4.
      const isAbsent = noSuchFamily.has((error as NodeJS.ErrnoException).code)
      if (address === '::' && isAbsent && this.addresses.length > 0) return
      throw error
    }
    if (this.#options.tcp) await this.#openTcp(address, this.port)
    this.addresses.push(address)
  }

  async #openUdp(address: string, port: number): Promise<number> {
    const isSix = isIPv6(address)
    const socket = createSocket({
      type: isSix ? 'udp6' : 'udp4',
      ipv6Only: isSix,
      recvBufferSize: bufferBytes,
      sendBufferSize: bufferBytes,
      // The target is an address already, so nothing is looked up.
      lookup: (host, _options, found) => found(null, host, isSix ? 6 : 4),
    })
    this.#udp.push(socket)
    // The listener is added before `bind` ends, which may be at once, since nothing is looked up.
    const listening = once(socket, 'listening')
    // Each process has a port of its own, even if processes share the port of HTTP.
    socket.bind({ port, address, exclusive: true })
    await listening
    // The error is that of a datagram that could not be sent; whoever waits for the datagram will notice.
    socket.on('error', () => undefined)
    socket.on('message', (datagram, from) => {
      const key = `udp ${from.address} ${from.port}`
      this.#options.received(datagram, { key, path: () => udpPath(socket, key, from) })
    })
    return socket.address().port
  }

  async #openTcp(address: string, port: number): Promise<void> {
    const server = createServer({ noDelay: true }, (socket) => this.#accept(socket))
    this.#tcp.push(server)
    server.listen({ host: address, port, ipv6Only: isIPv6(address), exclusive: true })
    await once(server, 'listening')
    server.on('error', () => undefined)
  }

  #accept(socket: TcpSocket): void {
    socket.on('error', () => undefined)
    if (this.#strangers >= strangers.most) {
      socket.destroy()
      return
    }
    this.#strangers++
    this.#open.add(socket)
    const line = new TcpConnection(socket, this.#options, () => this.#strangers--)
    socket.on('data', (bytes) => line.take(bytes))
    socket.on('close', () => {
      this.#open.delete(socket)
      line.closed()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await Promise.all([
      ...this.#tcp.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
      ...this.#udp.map((socket) => new Promise<void>((resolve) => closeUdp(socket, resolve))),
    ])
  }
}

function closeUdp(socket: UdpSocket, done: () => void): void {
  try {
    socket.close(done)
  } catch {
    // The socket was never open.
    done()
  }
}

const udpPath = (
  socket: UdpSocket,
  key: string,
  { address, port }: { address: string; port: number },
): Path => ({
  key,
  transport: 'udp',
  address,
  port,
  waitingBytes: 0,
  send: (datagram) => socket.send(datagram, port, address),
  close: () => undefined,
})

/** A TCP connection. */
class TcpConnection {
  readonly #socket: TcpSocket
  readonly #options: SocketsOptions
  readonly #reader = new FrameReader()
  readonly #key: string
  readonly #expiry: Deadline
  readonly #known: () => void
  #strangeBytes: number | undefined = 0

  constructor(socket: TcpSocket, options: SocketsOptions, known: () => void) {
    this.#socket = socket
    this.#options = options
    this.#known = known
    this.#key = `tcp ${socket.remoteAddress} ${socket.remotePort}`
    this.#expiry = deadlines.in(strangers.ms, () => socket.destroy())
  }

  take(bytes: Buffer): void {
    if (this.#strangeBytes !== undefined) this.#strangeBytes += bytes.length
    if ((this.#strangeBytes ?? 0) > strangers.bytes) {
      this.#refuse()
      return
    }
    this.#reader.push(bytes)
    // Nothing more is read until all of these bytes have had their turn.
    this.#socket.pause()
    this.#readOn()
  }

  #readOn(): void {
    this.#options.flowOf(this.#key).add(() => {
      if (this.#socket.destroyed) return
      const datagram = this.#reader.shift()
      if (datagram === undefined) this.#socket.resume()
      else if (datagram === 'malformed') this.#refuse()
      else {
        this.#options.framed(datagram, { key: this.#key, path: () => this.#path() })
        this.#readOn()
      }
    })
  }

  #refuse(): void {
    this.#options.malformed()
    this.#socket.destroy()
  }

  closed(): void {
    this.#prove()
    this.#options.gone(this.#key)
  }

  /** The path to a client that has proven a password. */
  #path(): Path {
    this.#prove()
    const socket = this.#socket
    return {
      key: this.#key,
      transport: 'tcp',
      address: socket.remoteAddress ?? '0.0.0.0',
      port: socket.remotePort ?? 0,
      get waitingBytes() {
        return socket.writableLength
      },
      send: (datagram) => void (socket.writable && socket.write(frame(datagram))),
      close: () => {
        socket.end()
        deadlines.in(lingerMs, () => socket.destroy())
      },
    }
  }

  #prove(): void {
    if (this.#strangeBytes === undefined) return
    this.#strangeBytes = undefined
    this.#expiry.cancel()
    this.#known()
  }
}
