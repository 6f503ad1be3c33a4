/**
 * Reads many streams at once over plain sockets: `node bench/stream-load.ts '{"url":…,"headers":{…},"body":"…","streams":256,"rounds":2}'`
 * prints one JSON line. A token's time runs from its writing at the upstream to its reading here.
 */
import { connect } from 'node:net'

export interface StreamOptions {
  url: string
  headers: Record<string, string>
  body: string
  streams: number
  rounds: number
  /** Streams that run before the measurement, so that JavaScript compilation is not measured. */
  warmUp: number
}

export interface StreamResult {
  streams: number
  tokens: number
  unfinished: number
  /** The number of gaps of more than 100 ms, five times the pace, between two tokens of one stream. */
  stalls: number
  /** `first`: milliseconds from the request to the first token. `token`: transit time of each token. */
  first: { p50: number; p99: number }
  token: { p50: number; p99: number }
}

const nowMs = (): number => performance.timeOrigin + performance.now()
const stallMs = 100
/** All streams of a round have begun within this time. */
const arrivalMs = 2_000

async function read(options: StreamOptions): Promise<StreamResult> {
  const firsts: number[] = []
  const transits: number[] = []
  let stalls = 0
  let unfinished = 0
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const { hostname, port, host, pathname } = new URL(options.url)
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      const headers = {
        host,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(options.body)),
        connection: 'close',
        ...options.headers,
      }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      const sentMs = nowMs()
      let lastMs = 0
      let rest = ''
      let done = false
      socket.setEncoding('latin1')
      socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${options.body}`)
      socket.on('data', (text: string) => {
        const atMs = nowMs()
        rest += text
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          const event = rest.slice(0, end)
          rest = rest.slice(end + 2)
          const written = /"content":" (\d+\.\d+)"/.exec(event)
          if (event.includes('data: [DONE]')) done = true
          if (!written) continue
          if (lastMs === 0) firsts.push(atMs - sentMs)
          else if (atMs - lastMs > stallMs) stalls++
          lastMs = atMs
          transits.push(atMs - Number(written[1]))
        }
      })
      const finish = (): void => {
        if (!done) unfinished++
        resolve()
      }
      socket.on('close', finish)
      socket.on('error', () => {})
    })
  // Real callers are independent: each starts at a random moment of its round.
  const begin = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * arrivalMs))
    return one()
  }
  await Promise.all(Array.from({ length: options.warmUp }, begin))
  firsts.length = transits.length = stalls = unfinished = 0
  for (let round = 0; round < options.rounds; round++)
    await Promise.all(Array.from({ length: options.streams }, begin))
  return {
    streams: options.streams * options.rounds,
    tokens: transits.length,
    unfinished,
    stalls,
    first: shares(firsts),
    token: shares(transits),
  }
}

function shares(values: number[]): { p50: number; p99: number } {
  values.sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((values[Math.floor(values.length * share)] ?? 0) * 1000) / 1000
  return { p50: at(0.5), p99: at(0.99) }
}

if (process.argv[2] !== undefined)
  process.stdout.write(`${JSON.stringify(await read(JSON.parse(process.argv[2])))}\n`)
