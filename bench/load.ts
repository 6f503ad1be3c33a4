/**
 * A cheap load generator: plain sockets, one request at a time on each, answers read by their length. `node bench/load.ts
 * '{"url":…,"headers":{…},"body":"…","connections":32,"seconds":10}'` prints one JSON line. An answer that is not 200, whose connection
 * closes before its end, which does not come within five seconds, or which is a stream without `[DONE]`, is a failure.
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
  /** Answers after the warm-up, and failures among them. */
  requests: number
  failures: number
  /** Answers with those of the warm-up: what a server's CPU was spent on. */
  answered: number
  seconds: number
  /** Without failures. */
  perSecond: number
  /** Milliseconds. */
  p50: number
  p90: number
  p99: number
}

const warmUpShare = 0.2
const answerTimeoutMs = 5_000
/** After a failure, so that a dead server is not asked in a loop without a pause. */
const pauseMs = 20

export async function load(options: LoadOptions): Promise<LoadResult> {
  const caller = { request: requestBytes(options), streams: options.body.includes('"stream":true') }
  const startMs = performance.now()
  const countFromMs = startMs + options.seconds * 1000 * warmUpShare
  const endMs = startMs + options.seconds * 1000
  const latencies: number[] = []
  let answered = 0
  let failures = 0
  const worker = async (): Promise<void> => {
    let connection = new Connection(options.url)
    while (performance.now() < endMs) {
      const sentMs = performance.now()
      const isGood = await connection.call(caller)
      answered++
      if (!isGood) {
        connection.close()
        connection = new Connection(options.url)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      if (sentMs < countFromMs) continue
      if (isGood) latencies.push(performance.now() - sentMs)
      else failures++
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: options.connections }, worker))
  return { ...summary(latencies, (endMs - countFromMs) / 1000), failures, answered }
}

function summary(latencies: number[], seconds: number): Omit<LoadResult, 'failures' | 'answered'> {
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 1000) / 1000
  return {
    requests: latencies.length,
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

const headEnd = '\r\n\r\n'
/** The last chunk of an answer without a length. Nothing follows it, since one request is under way at a time. */
const chunkedEnd = '0\r\n\r\n'
/** Enough of an answer's end for `chunkedEnd`, `data: [DONE]` and the sizes of chunks between them. */
const tailLength = 64

/** One socket, and the answer that it reads: of a long one only the end is kept. */
class Connection {
  readonly #socket: Socket
  #timer: NodeJS.Timeout | undefined
  #finished: ((isGood: boolean) => void) | undefined
  #isOver = false
  #streams = false
  #head = ''
  #tail = ''
  /** Bytes of the body that are still to come; undefined: the body is chunked. */
  #left: number | undefined

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true })
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', (text: string) => this.#read(text))
    this.#socket.on('error', () => this.#finish(false))
    this.#socket.on('close', () => {
      this.#isOver = true
      this.#finish(false)
    })
  }

  /** Resolves with true after a complete good answer. */
  call({ request, streams }: { request: Buffer; streams: boolean }): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    this.#streams = streams
    this.#head = this.#tail = ''
    // Set again by each call, not made anew: a timer a call would be much of what this process does.
    if (this.#timer) this.#timer.refresh()
    else this.#timer = setTimeout(() => this.#finish(false), answerTimeoutMs)
    this.#socket.write(request)
    return new Promise((resolve) => {
      this.#finished = resolve
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#socket.destroy()
  }

  #read(text: string): void {
    if (this.#head.includes(headEnd)) this.#readBody(text)
    else {
      this.#head += text
      const end = this.#head.indexOf(headEnd)
      if (end < 0) return
      const body = this.#head.slice(end + headEnd.length)
      this.#head = this.#head.slice(0, end + headEnd.length)
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)
      this.#left = length ? Number(length[1]) : undefined
      this.#readBody(body)
    }
  }

  #readBody(text: string): void {
    this.#tail = (this.#tail + text).slice(-tailLength)
    if (this.#left !== undefined) this.#left -= text.length
    if (this.#left === undefined ? !this.#tail.endsWith(chunkedEnd) : this.#left > 0) return
    const status = Number(this.#head.slice(9, 12))
    this.#finish(status === 200 && (!this.#streams || this.#tail.includes('data: [DONE]')))
  }

  #finish(isGood: boolean): void {
    this.#finished?.(isGood)
    this.#finished = undefined
  }
}

if (process.argv[2] !== undefined)
  process.stdout.write(`${JSON.stringify(await load(JSON.parse(process.argv[2])))}\n`)
