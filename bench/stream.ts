/**
 * `npm run bench:stream [streams …]`: many event streams at a pace of 20 ms a token, through Kherad with its ledger and directly from the
 * same upstream, in one run. The difference is what Kherad adds.
 */
import {
  cpuSeconds,
  jsonFrom,
  key,
  machine,
  residentMegabytes,
  runKherad,
  runPaced,
  temporaryFolder,
} from './stage.ts'
import type { StreamOptions, StreamResult } from './stream-load.ts'

const counts = process.argv.slice(2).map(Number)
const tokens = 150
const paceMs = 20
/** Warm-up streams. */
const warmUp = 64

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const upstream = stack.use(await runPaced(tokens, paceMs))
const kherad = stack.use(await runKherad(folder, upstream.url, { KHERAD_LOG_LEVEL: 'warn' }))

const body = JSON.stringify({
  model: 'test/model',
  stream: true,
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Count the time.' }],
})
const streamOptions = (url: string, streams: number, rounds: number): StreamOptions => ({
  url: `${url}/v1/chat/completions`,
  headers: { authorization: `Bearer ${key}` },
  body,
  streams,
  rounds,
  warmUp,
})

console.log(machine())
await measure(kherad.url, 32, 1)
for (const streams of counts.length > 0 ? counts : [64, 256, 1000]) {
  const direct = await measure(upstream.url, streams, 2)
  const before = cpuSeconds(kherad.child.pid!)
  const running = measure(kherad.url, streams, 2)
  await new Promise((resolve) => setTimeout(resolve, (tokens * paceMs) / 2))
  const megabytes = residentMegabytes(kherad.child.pid!)
  const through = await running
  const microseconds = ((cpuSeconds(kherad.child.pid!) - before) * 1e6) / (tokens * (2 * streams + warmUp))
  console.log(`\n${streams} streams, ${tokens} tokens each, one every ${paceMs} ms`)
  console.log(`  direct   ${line(direct)}`)
  console.log(`  Kherad   ${line(through)}`)
  console.log(
    `  added    first token p50 ${gap(through.first.p50, direct.first.p50)} p99 ${gap(through.first.p99, direct.first.p99)};` +
      ` per token p50 ${gap(through.token.p50, direct.token.p50)} p99 ${gap(through.token.p99, direct.token.p99)};` +
      ` CPU ${microseconds.toFixed(0)} µs a token; ${megabytes} MB resident`,
  )
}

function measure(url: string, streams: number, rounds: number): Promise<StreamResult> {
  return jsonFrom<StreamResult>('bench/stream-load.ts', streamOptions(url, streams, rounds))
}

function line(result: StreamResult): string {
  const { first, token, stalls, unfinished } = result
  return `first token p50 ${first.p50} p99 ${first.p99} ms; per token p50 ${token.p50} p99 ${token.p99} ms; ${stalls} stalls, ${unfinished} unfinished of ${result.streams}`
}

function gap(through: number, direct: number): string {
  return `${(through - direct).toFixed(3)} ms`
}
