/** A bare connection to the server, for what no HTTP client would send. */
import { connect, type Socket } from 'node:net'
import type { Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'

export class Wire implements AsyncDisposable {
  readonly socket: Socket
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  /** True when the server has said its last, or has broken the connection. */
  ended = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data])
    })
    socket.on('error', () => undefined)
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.ended = true
      })
    }
  }

  static async open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const wire = new Wire(socket)
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return wire
  }

  /** Resolves when the bytes are handed over, or the connection is gone. */
  write(data: string | Uint8Array): Promise<void> {
    if (this.socket.destroyed) return Promise.resolve()
    return new Promise((resolve) => this.socket.write(data, () => resolve()))
  }

  /** The next whole answer on this connection. */
  async next(): Promise<Seen> {
    const { seen, length } = await until(() => parse(this.#received))
    this.#received = this.#received.subarray(length)
    return seen
  }

  /** What came and is not taken yet. */
  get waiting(): number {
    return this.#received.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy()
  }
}

function parse(received: Buffer): { seen: Seen; length: number } | undefined {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const [statusLine = '', ...lines] = received.subarray(0, head).toString('latin1').split('\r\n')
  const headers = new Headers(
    lines.map(
      (line) =>
        [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as [string, string],
    ),
  )
  const start = head + 4
  const length = start + Number(headers.get('content-length') ?? 0)
  if (received.length < length) return undefined
  const text = received.subarray(start, length).toString('utf8')
  const isJson = headers.get('content-type')?.startsWith('application/json') && text !== ''
  return {
    seen: {
      status: Number(statusLine.split(' ')[1]),
      headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    },
    length,
  }
}

/** The bytes of a request. */
export function requestOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Uint8Array = '',
): Buffer {
  const bytes = Buffer.from(body)
  const all: Record<string, string> = {
    host: 'test',
    ...headers,
    ...(method !== 'GET' && { 'content-length': String(bytes.length), ...headers }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes])
}
