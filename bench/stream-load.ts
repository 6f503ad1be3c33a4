/**
 * Reads many streams at once over plain sockets: `node bench/stream-load.ts '{"url":…,"headers":{…},"body":"…","streams":256,"arrivalMs":
 * 2000}'` prints one JSON line. A token's time runs from its writing at the upstream to its reading here.
 */
import { connect } from 'node:net'

export interface StreamOptions {
  url: string
  headers: Record<string, string>
  body: string
  streams: number
  /** All streams have begun within this time, each at a random moment: real callers are independent. */
  arrivalMs: number
}

/** Milliseconds. */
interface Shares {
  p50: number
  p99: number
  most: number
}

export interface StreamResult {
  streams: number
  tokens: number
  unfinished: number
  /** How the first few of these began and ended. */
  faults: string[]
  /** From the request to the first token. */
  first: Shares
  /** Transit of each token. */
  transit: Shares
  /** Between two tokens of one stream. */
  gap: Shares
}

const maxFaults = 3

const nowMs = (): number => performance.timeOrigin + performance.now()

async function read(options: StreamOptions): Promise<StreamResult> {
  const firsts: number[] = []
  const transits: number[] = []
  const gaps: number[] = []
  const faults: string[] = []
  let unfinished = 0
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(options.url)
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      const sentMs = nowMs()
      let lastMs = 0
      let rest = ''
      let start = ''
      let done = false
      socket.setEncoding('latin1')
      socket.write(requestText(options))
      socket.on('data', (text: string) => {
        const atMs = nowMs()
        if (start === '') start = text
        const events = (rest + text).split('\n\n')
        rest = events.pop()!
        for (const event of events) {
          if (event.includes('data: [DONE]')) done = true
          const written = /"content":" (\d+\.\d+)"/.exec(event)
          if (!written) continue
          if (lastMs === 0) firsts.push(atMs - sentMs)
          else gaps.push(atMs - lastMs)
          lastMs = atMs
          transits.push(atMs - Number(written[1]))
        }
      })
      socket.on('close', () => {
        if (!done && unfinished++ < maxFaults) faults.push(`${start.slice(0, 600)} … ${rest.slice(-200)}`)
        resolve()
      })
      socket.on('error', () => {})
    })
  const begin = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * options.arrivalMs))
    return one()
  }
  await Promise.all(Array.from({ length: options.streams }, begin))
  const times = { first: sharesOf(firsts), transit: sharesOf(transits), gap: sharesOf(gaps) }
  return { streams: options.streams, tokens: transits.length, unfinished, faults, ...times }
}

function requestText({ url, headers, body }: StreamOptions): string {
  const { host, pathname } = new URL(url)
  const all = {
    host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

function sharesOf(values: number[]): Shares {
  values.sort((a, b) => a - b)
  const at = (place: number): number => Math.round((values[place] ?? 0) * 1000) / 1000
  const of = (share: number): number => at(Math.floor(values.length * share))
  return { p50: of(0.5), p99: of(0.99), most: at(values.length - 1) }
}

if (process.argv[2] !== undefined)
  process.stdout.write(`${JSON.stringify(await read(JSON.parse(process.argv[2])))}\n`)
