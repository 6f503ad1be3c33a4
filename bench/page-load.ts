/**
 * Load of visitors: plain sockets, one request at a time on each. `node bench/page-load.ts '{"port":…,"host":…,"path":"/",
 * "connections":32,"seconds":5}'` prints one JSON line. The first answer is read whole and says how long all are; whatever is not as long
 * afterwards, or does not begin with 200, is a failure.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface PageLoadOptions {
  port: number
  host: string
  path: string
  connections: number
  seconds: number
}

export interface PageLoadResult {
  /** With those of the warm-up: what a server's CPU was spent on. */
  answered: number
  failures: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Of one answer's body. */
  bytes: number
}

const warmUpShare = 0.25

async function load({ port, host, path, connections, seconds }: PageLoadOptions): Promise<PageLoadResult> {
  const request = Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\nAccept: text/html,*/*\r\nUser-Agent: bench\r\n\r\n`,
  )
  const { whole, body } = await lengthOf(port, request)
  const startMs = performance.now()
  const countFromMs = startMs + seconds * 1000 * warmUpShare
  const endMs = startMs + seconds * 1000
  const latencies: number[] = []
  const counts = { answered: 0, failures: 0 }
  const visitor = async (): Promise<void> => {
    const socket = await opened(port)
    await new Promise<void>((resolve) => {
      let sentMs = performance.now()
      let left = whole
      socket.on('data', (chunk: Buffer) => {
        if (left === whole && !chunk.subarray(0, 15).equals(begins)) counts.failures++
        left -= chunk.length
        if (left > 0) return
        if (left < 0) counts.failures++
        const nowMs = performance.now()
        counts.answered++
        if (sentMs >= countFromMs) latencies.push(nowMs - sentMs)
        if (nowMs >= endMs) return resolve()
        sentMs = nowMs
        left = whole
        socket.write(request)
      })
      socket.on('close', () => {
        if (performance.now() < endMs) counts.failures++
        resolve()
      })
      socket.write(request)
    })
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, visitor))
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 1000) / 1000
  const perSecond = Math.round(latencies.length / ((endMs - countFromMs) / 1000))
  return { ...counts, perSecond, p50: at(0.5), p99: at(0.99), bytes: body }
}

const begins = Buffer.from('HTTP/1.1 200 OK')

async function opened(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Of one answer with and without its head, read by its Content-Length. */
async function lengthOf(port: number, request: Buffer): Promise<{ whole: number; body: number }> {
  const socket = await opened(port)
  socket.write(request)
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    const body = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1])
    if (end < 0 || text.length < end + 4 + body) continue
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text.slice(0, 200))
    if (!/\r\ncontent-encoding: *gzip/i.test(text.slice(0, end)))
      throw new Error('The answer is not compressed.')
    socket.destroy()
    return { whole: end + 4 + body, body }
  }
  throw new Error('The server closed the connection.')
}

process.stdout.write(`${JSON.stringify(await load(JSON.parse(process.argv[2]!)))}\n`)
