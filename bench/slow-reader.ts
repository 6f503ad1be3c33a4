/**
 * A caller that reads an endless stream slowly: `node bench/slow-reader.ts '{"url":…,"headers":{…},"body":"…","seconds":10}'` reads one piece
 * of at most 64 KiB a second, and prints how many bytes it has read as one JSON line.
 */

import { request } from 'node:http'
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

const options: SlowReaderOptions = JSON.parse(process.argv[2]!)
const endMs = performance.now() + options.seconds * 1000
const ask = request(options.url, {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...options.headers },
})
ask.end(options.body)
ask.on('response', async (answer) => {
  let bytes = 0
  answer.on('error', () => {})
  answer.on('data', async (piece: Buffer) => {
    bytes += piece.length
    answer.pause()
    await pause(1_000)
    answer.resume()
  })
  await pause(endMs - performance.now())
  const result: SlowReaderResult = { status: answer.statusCode!, bytes }
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit())
})
