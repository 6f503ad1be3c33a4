/**
 * A cheap load generator: plain sockets, one request at a time on each, answers read by their length. `node bench/load.ts
 * '{"url":…,"headers":{…},"body":"…","connections":32,"seconds":10}'` prints one JSON line.
 */
import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  url: string
  headers: Record<string, string>
  body: string
  connections: number
  seconds: number
}

export interface LoadResult {
  requests: number
  failures: number
  seconds: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p90: number
  p99: number
}

const warmUpShare = 0.2

export async function load(options: LoadOptions): Promise<LoadResult> {
  const request = requestBytes(options)
  const { hostname, port } = new URL(options.url)
  const startMs = performance.now()
  const countFromMs = startMs + options.seconds * 1000 * warmUpShare
  const endMs = startMs + options.seconds * 1000
  const latencies: number[] = []
  let failures = 0
  const worker = async (): Promise<void> => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const reader = new AnswerReader(socket)
    while (performance.now() < endMs) {
      const sentMs = performance.now()
      socket.write(request)
      const status = await reader.next()
      if (sentMs < countFromMs) continue
      latencies.push(performance.now() - sentMs)
      if (status !== 200) failures++
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: options.connections }, worker))
  return summary(latencies, failures, (endMs - countFromMs) / 1000)
}

function summary(latencies: number[], failures: number, seconds: number): LoadResult {
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 1000) / 1000
  return {
    requests: latencies.length,
    failures,
    seconds,
    perSecond: Math.round(latencies.length / seconds),
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
  }
}

function requestBytes({ url, headers, body }: LoadOptions): Buffer {
  const { host, pathname } = new URL(url)
  const lines = Object.entries({
    host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  })
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

/** Reads complete HTTP/1.1 answers, by content-length or chunked; returns their status. */
class AnswerReader {
  #seen = ''
  #wake: ((status: number) => void) | undefined

  constructor(socket: Socket) {
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#seen += text
      this.#finish()
    })
    socket.on('error', () => this.#wake?.(0))
    socket.on('close', () => this.#wake?.(0))
  }

  next(): Promise<number> {
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#finish()
    })
  }

  #finish(): void {
    const head = this.#seen.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#seen.slice(0, head))
    const end = length ? head + 4 + Number(length[1]) : chunkedEnd(this.#seen)
    if (end < 0 || this.#seen.length < end) return
    const status = Number(this.#seen.slice(9, 12))
    this.#seen = this.#seen.slice(end)
    this.#wake?.(status)
  }
}

const chunkedEnd = (text: string): number => {
  const at = text.indexOf('\r\n0\r\n\r\n')
  return at < 0 ? -1 : at + 7
}

if (process.argv[2] !== undefined)
  process.stdout.write(`${JSON.stringify(await load(JSON.parse(process.argv[2])))}\n`)
