/**
 * A caller that reads a long stream slowly: `node bench/slow-reader.ts '{"url":…,"headers":{…},"body":"…","seconds":10}'` reads its socket
 * once a second, at most 64 KiB, and prints how many bytes it has read as one JSON line.
 */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface SlowReaderOptions {
  url: string
  headers: Record<string, string>
  body: string
  seconds: number
}

export interface SlowReaderResult {
  status: number
  bytes: number
}

const { url, headers, body, seconds }: SlowReaderOptions = JSON.parse(process.argv[2]!)
const { host, hostname, port, pathname } = new URL(url)
const all = {
  host,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  ...headers,
}
const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
const result: SlowReaderResult = { status: 0, bytes: 0 }
const socket = connect({ host: hostname, port: Number(port) })
socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
socket.on('data', async (piece) => {
  if (result.bytes === 0) result.status = Number(piece.toString('latin1', 9, 12))
  result.bytes += piece.length
  socket.pause()
  await pause(1_000)
  socket.resume()
})
await pause(seconds * 1000)
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit())
