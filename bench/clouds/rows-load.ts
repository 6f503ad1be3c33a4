/**
 * A load of one kind of request over kept connections, each with one request at a time: `node bench/clouds/rows-load.ts '{"url":…,"method":…,
 * "headers":{…},"body":"…","connections":32,"seconds":5}'` prints one JSON line. Every answer that is not 2xx is a failure.
 */
import { Agent, request } from 'node:http'

export interface RowsLoad {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
  connections: number
  seconds: number
}

export interface RowsLoadResult {
  perSecond: number
  failures: number
  /** Milliseconds. */
  p50: number
  p99: number
}

const warmUpShare = 0.2
const { url, method, headers, body, connections, seconds } = JSON.parse(process.argv[2]!) as RowsLoad
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const startMs = performance.now()
const countFromMs = startMs + seconds * 1000 * warmUpShare
const endMs = startMs + seconds * 1000
const latencies: number[] = []
let failures = 0

const ask = (): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent }, (reply) => {
      reply.resume()
      reply.on('end', () => resolve(reply.statusCode! >= 200 && reply.statusCode! < 300))
    })
    asked.on('error', reject)
    asked.end(body)
  })

async function work(): Promise<void> {
  while (performance.now() < endMs) {
    const sentMs = performance.now()
    const isGood = await ask()
    if (sentMs < countFromMs) continue
    if (isGood) latencies.push(performance.now() - sentMs)
    else failures++
  }
}

await Promise.all(Array.from({ length: connections }, work))
agent.destroy()
latencies.sort((a, b) => a - b)
const at = (share: number): number =>
  Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 100) / 100
const result: RowsLoadResult = {
  perSecond: Math.round(latencies.length / (seconds * (1 - warmUpShare))),
  failures,
  p50: at(0.5),
  p99: at(0.99),
}
console.log(JSON.stringify(result))
