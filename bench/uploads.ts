/**
 * `npm run bench:uploads [uploads]`: concurrent uploads of 27 MB, each retried when the server asks for it: the peak memory of the server's
 * process, its memory a minute later, and the latency of `/health/live` meanwhile.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { availableParallelism } from 'node:os'
import { cpuSeconds, key, machine, residentMegabytes, runKherad, temporaryFolder } from './stage.ts'

const count = Number(process.argv[2] ?? 30)
const mebibyte = 1024 * 1024
/** Time for the server to warm up: its code, its pools, its first garbage collection. */
const settleMs = 5_000
const afterMs = 60_000
const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const kherad = stack.use(await runKherad(folder, 'http://127.0.0.1:1/v1', { KHERAD_LOG_LEVEL: 'error' }))
const pid = kherad.child.pid!
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg==',
  'base64',
)
const picture = Buffer.concat([png, Buffer.alloc(20 * mebibyte - 1_000)])
const body = Buffer.from(JSON.stringify({ data: picture.toString('base64'), name: 'bench.png' }))

console.log(`${machine()}; ${count} uploads of ${(body.length / 1e6).toFixed(1)} MB at once`)
await upload(Buffer.from(JSON.stringify({ data: png.toString('base64') })))
await pauseMs(settleMs)
const idle = residentMegabytes(pid)
let peak = idle
let isOver = false
// In a separate process, since this one is busy sending.
const watcher = fork(new URL('./health-watch.ts', import.meta.url), [`${kherad.url}/health/live`])
stack.defer(() => void watcher.kill())
const watching = watchMemory()
const cpuBefore = cpuSeconds(pid)
const startedMs = performance.now()
const outcomes = await Promise.all(Array.from({ length: count }, untilStored))
const tookMs = performance.now() - startedMs
const cpu = cpuSeconds(pid) - cpuBefore
isOver = true
await watching
watcher.send('stop')
const [health] = (await once(watcher, 'message')) as [number[]]
let after = residentMegabytes(pid)
for (const endMs = performance.now() + afterMs; performance.now() < endMs && after > idle + 150; ) {
  await pauseMs(500)
  after = residentMegabytes(pid)
}
const backMs = performance.now() - startedMs - tookMs

health.sort((a, b) => a - b)
const refused = outcomes.reduce((sum, tries) => sum + tries - 1, 0)
console.log(`stored ${outcomes.length}, sent again ${refused} times, in ${(tookMs / 1000).toFixed(1)} s`)
console.log(
  `processor time of the server: ${cpu.toFixed(1)} s, ${Math.round((cpu * 1000) / count)} ms an upload`,
)
console.log(
  `memory: idle ${idle} MB, peak ${peak} MB, ${after} MB ${(backMs / 1000).toFixed(1)} s after the last`,
)
console.log(
  `/health/live, ${health.length} times: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms (${availableParallelism()} cores, shared with this client)`,
)
const isWell = peak < 1024 && after <= idle + 150
console.log(isWell ? 'within its bounds' : 'OVER its bounds: peak below 1024 MB, back within 150 MB of idle')
process.exitCode = isWell ? 0 : 1

function at(share: number): string {
  return (health[Math.min(health.length - 1, Math.floor(health.length * share))] ?? Number.NaN).toFixed(1)
}

/** Returns the number of tries. */
async function untilStored(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const { status, retryAfterMs } = await upload(body)
    if (status === 201) return tries
    if (status !== 503) throw new Error(`an upload was answered with ${status}`)
    await pauseMs(retryAfterMs * (1 + Math.random()))
  }
}

/** All uploads share one buffer, since this process is not what is measured. */
function upload(bytes: Buffer): Promise<{ status: number; retryAfterMs: number }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
    }
    const call = request(`${kherad.url}/v1/files`, { method: 'POST', headers }, (reply) => {
      reply.resume()
      reply.on('end', () =>
        resolve({
          status: reply.statusCode!,
          retryAfterMs: Number(reply.headers['retry-after-ms'] ?? 1_000),
        }),
      )
    })
    call.on('error', reject)
    call.end(bytes)
  })
}

async function watchMemory(): Promise<void> {
  while (!isOver) {
    peak = Math.max(peak, residentMegabytes(pid))
    await pauseMs(50)
  }
}
