/**
 * Stands between a client and a WebRTC server at an address of its own, as a router with a public address does (1:1 NAT), and
 * spoils what goes by UDP: loss, delay, jitter, reordering, repetition. What it does to the n-th datagram of a flow depends on the seed
 * alone. TCP goes through as it comes.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, isIPv6, type Socket } from 'node:net'
import { Random } from '../simulation/random.ts'

/** Of one direction. Parts are of 1; times are milliseconds. */
export interface Shaping {
  loss?: number
  /** Of every datagram. */
  delayMs?: number
  /** Beside the delay, evenly from 0 to this: datagrams overtake one another. */
  jitterMs?: number
  /** Goes out behind the next one of its flow, or after `heldMs` where none comes. */
  reordered?: number
  /** Goes out twice. */
  repeated?: number
}

export interface ShapingProxyOptions {
  target: { address: string; port: number }
  /** Where it listens and from where it speaks to the server; the server has to listen at another address. */
  address?: string
  /** For UDP and TCP; the server's own where it is absent, so that only the address is translated. */
  port?: number
  seed?: number
  /** 50 ms where it is absent. */
  heldMs?: number
  toServer?: Shaping
  toClient?: Shaping
}

export interface DatagramCounts {
  all: number
  lost: number
  reordered: number
  repeated: number
}

export interface ShapingProxy extends AsyncDisposable {
  readonly address: string
  readonly port: number
  /** May be replaced at any time: `{ loss: 1 }` is a dead line. */
  toServer: Shaping
  toClient: Shaping
  readonly counts: { readonly toServer: DatagramCounts; readonly toClient: DatagramCounts }
  /** Connections by TCP since it was opened. */
  readonly connections: number
  /** From now on, clients reach the server by UDP from other ports, as after a change from Wi-Fi to mobile data. */
  changePaths(): void
}

export async function openShapingProxy(options: ShapingProxyOptions): Promise<ShapingProxy> {
  const proxy = new RunningProxy(options)
  await proxy.open()
  return proxy
}

type Direction = 'toServer' | 'toClient'

class RunningProxy implements ShapingProxy {
  readonly address: string
  readonly port: number
  toServer: Shaping
  toClient: Shaping
  readonly counts = { toServer: noDatagrams(), toClient: noDatagrams() }
  connections = 0
  readonly #target: { address: string; port: number }
  readonly #seed: number
  readonly #heldMs: number
  readonly #front: UdpSocket
  readonly #tcp = createServer({ allowHalfOpen: true }, (socket) => this.#pass(socket))
  readonly #sockets = new Set<Socket>()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** Of the paths before a change: they are closed behind the first new one, which would else be given the port of one of them at times. */
  #left: UdpSocket[] = []
  /** By the client's address and port. */
  #flows = new Map<string, UdpFlow>()
  #flowsEver = 0

  constructor({
    target,
    address = '127.0.0.5',
    port = target.port,
    seed = 1,
    heldMs = 50,
    ...shaping
  }: ShapingProxyOptions) {
    this.#target = target
    this.address = address
    this.port = port
    this.#seed = seed
    this.#heldMs = heldMs
    this.toServer = shaping.toServer ?? {}
    this.toClient = shaping.toClient ?? {}
    this.#front = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  }

  async open(): Promise<void> {
    const { address, port } = this
    this.#front.on('message', (datagram, from) => {
      const flow = this.#flowOf(from.address, from.port)
      this.#shape('toServer', flow.toServer, () =>
        flow.back.send(datagram, this.#target.port, this.#target.address),
      )
    })
    this.#front.bind({ address, port })
    this.#tcp.listen({ host: address, port })
    await Promise.all([once(this.#front, 'listening'), once(this.#tcp, 'listening')])
  }

  changePaths(): void {
    for (const { back } of this.#flows.values()) {
      back.removeAllListeners('message')
      this.#left.push(back)
    }
    this.#flows = new Map()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroy()
    this.changePaths()
    this.#closeLeft()
    this.#front.close()
    this.#tcp.close()
    await Promise.all([once(this.#front, 'close'), once(this.#tcp, 'close')])
  }

  #closeLeft(): void {
    for (const back of this.#left.splice(0)) back.close()
  }

  #flowOf(address: string, port: number): UdpFlow {
    const name = `${address} ${port}`
    const known = this.#flows.get(name)
    if (known) return known
    const back = createSocket(isIPv6(this.address) ? 'udp6' : 'udp4')
    const number = this.#flowsEver++
    const flow = {
      back,
      toServer: new Line(this.#seed + 2 * number),
      toClient: new Line(this.#seed + 2 * number + 1),
    }
    back.bind({ address: this.address, port: 0 }, () => this.#closeLeft())
    back.on('message', (datagram) =>
      this.#shape('toClient', flow.toClient, () => this.#front.send(datagram, port, address)),
    )
    // A datagram may come back as unreachable: that is a loss.
    back.on('error', () => {})
    this.#flows.set(name, flow)
    return flow
  }

  /** Always draws four numbers, so that what becomes of a datagram does not depend on the shaping of those before it. */
  #shape(direction: Direction, line: Line, send: () => void): void {
    const { loss = 0, delayMs = 0, jitterMs = 0, reordered = 0, repeated = 0 } = this[direction]
    const counts = this.counts[direction]
    const [forLoss, forJitter, forOrder, forRepeat] = [line.draw(), line.draw(), line.draw(), line.draw()]
    counts.all += 1
    if (forLoss < loss) {
      counts.lost += 1
      return
    }
    const times = forRepeat < repeated ? 2 : 1
    counts.repeated += times - 1
    const sendAll = (): void => {
      for (let time = 0; time < times; time++) this.#later(delayMs + forJitter * jitterMs, send)
    }
    if (forOrder < reordered && !line.held) {
      counts.reordered += 1
      line.held = sendAll
      this.#later(this.#heldMs, () => line.release(sendAll))
      return
    }
    sendAll()
    line.release()
  }

  #later(delayMs: number, action: () => void): void {
    if (delayMs === 0) {
      this.#unlessClosed(action)
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#unlessClosed(action)
    }, delayMs)
    this.#timers.add(timer)
  }

  /** The path of a datagram may have been closed while it was on its way. */
  #unlessClosed(send: () => void): void {
    try {
      send()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SOCKET_DGRAM_NOT_RUNNING') throw error
    }
  }

  #pass(socket: Socket): void {
    this.connections += 1
    const onward = connect({
      host: this.#target.address,
      port: this.#target.port,
      localAddress: this.address,
    })
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        if (!one.readableEnded) other.destroy()
      })
      one.pipe(other)
    }
  }
}

interface UdpFlow {
  /** What the server sees as the client. */
  readonly back: UdpSocket
  readonly toServer: Line
  readonly toClient: Line
}

/** One direction of a flow: its random numbers, and the datagram that waits for the next one. */
class Line {
  held: (() => void) | undefined
  readonly #random: Random

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  draw(): number {
    return this.#random.next()
  }

  release(only = this.held): void {
    if (!this.held || this.held !== only) return
    this.held = undefined
    only()
  }
}

const noDatagrams = (): DatagramCounts => ({ all: 0, lost: 0, reordered: 0, repeated: 0 })
