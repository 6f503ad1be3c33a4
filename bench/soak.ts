/**
 * `npm run bench:soak [minutes] [calls per second]`: a steady load with 5 % of callers who disconnect, streamed and non-streamed; then
 * checks that no hold, no socket and no memory is left.
 */
import { readdirSync } from 'node:fs'
import { openDb } from '#platform/db'
import { openLog } from '#platform/log'
import { startEmbedded } from '#platform/postgres'
import {
  cpuSeconds,
  dataOf,
  key,
  machine,
  residentMegabytes,
  runKherad,
  runPaced,
  temporaryFolder,
} from './stage.ts'

const minutes = Number(process.argv[2] ?? 10)
const perSecond = Number(process.argv[3] ?? 300)
const leaveShare = 0.05

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const log = openLog('warn')
const embedded = stack.use(await startEmbedded({ dataDir: dataOf(folder), log }))
const upstream = stack.use(await runPaced(10, 5))
const kherad = stack.use(await runKherad(folder, upstream.url, { KHERAD_LOG_LEVEL: 'warn' }))
const db = stack.use(await openDb({ url: embedded.address, log, maxConnections: 2 }))
const pid = kherad.child.pid!
const body = JSON.stringify({
  model: 'test/model',
  stream: true,
  max_tokens: 64,
  messages: [{ role: 'user', content: 'hello' }],
})
const counts = { done: 0, left: 0, failed: 0 }

console.log(`${machine()}; ${minutes} minutes, ${perSecond} calls a second, ${leaveShare * 100} % leave`)
const endMs = performance.now() + minutes * 60_000
const samples: { atMinute: number; megabytes: number; descriptors: number }[] = []
const open = new Set<Promise<void>>()
let nextSampleMs = performance.now()
while (performance.now() < endMs) {
  const call = once().finally(() => open.delete(call))
  open.add(call)
  if (performance.now() >= nextSampleMs) sample()
  await new Promise((resolve) => setTimeout(resolve, 1000 / perSecond))
}
await Promise.all(open)
await new Promise((resolve) => setTimeout(resolve, 3000))
sample()
report()
await check()

async function once(): Promise<void> {
  const leaves = Math.random() < leaveShare
  const stop = new AbortController()
  try {
    const reply = await fetch(`${kherad.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body,
      signal: stop.signal,
    })
    if (leaves) setTimeout(() => stop.abort(), Math.random() * 60)
    const text = await reply.text()
    if (text.endsWith('data: [DONE]\n\n')) counts.done++
    else counts.failed++
  } catch {
    if (leaves) counts.left++
    else counts.failed++
  }
}

function sample(): void {
  nextSampleMs = performance.now() + Math.min(30_000, (minutes * 60_000) / 20)
  const descriptors = readdirSync(`/proc/${pid}/fd`).length
  samples.push({ atMinute: samples.length, megabytes: residentMegabytes(pid), descriptors })
}

function report(): void {
  console.log(
    `calls: ${counts.done} done, ${counts.left} left, ${counts.failed} failed; CPU ${cpuSeconds(pid).toFixed(0)} s`,
  )
  console.log(`resident MB:  ${samples.map(({ megabytes }) => megabytes).join(' ')}`)
  console.log(`descriptors:  ${samples.map(({ descriptors }) => descriptors).join(' ')}`)
}

async function check(): Promise<void> {
  const [holds] = await db.query<{ n: bigint }>({ text: 'select count(*) as n from ledger.holds' }, [])
  const broken = await db.query({ text: 'select * from ledger.violations' }, [])
  console.log(`open holds: ${holds!.n}; broken invariants: ${broken.length}`)
  if (holds!.n > 0n || broken.length > 0 || counts.failed > 0) process.exitCode = 1
}
