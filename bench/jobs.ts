/**
 * `npm run bench:jobs [jobs]`: how long a job waits for an idle worker, and how many small jobs a second one process completes, on the
 * embedded PostgreSQL with durable commits.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { readEnv } from '#platform/config'
import { uuidv7 } from '#platform/ids'
import { type JobOptions, type JobsApp, jobsOf, startWorkers } from '#platform/jobs'
import { loadConfig } from '#settings'
import { startKherad } from '../src/server.ts'
import { dataOf, key, machine, temporaryFolder } from './stage.ts'

const count = Number(process.argv[2] ?? 5_000)
const idleTries = 100
const accounts = Array.from({ length: 20 }, uuidv7)

await using stack = new AsyncDisposableStack()
const settings = {
  KHERAD_DATA: dataOf(await temporaryFolder(stack)),
  KHERAD_BOOTSTRAP_KEY: key,
  KHERAD_PORT: '0',
}
const config = loadConfig(readEnv({ ...settings, KHERAD_LOG_LEVEL: 'warn' }), undefined)
const { app } = stack.use(await startKherad({ config }))

const startedMs: number[] = []
let whenDone = Promise.withResolvers<void>()
let left = 0
const job = jobsOf<JobsApp>()
const small = job<{ n: number }>({
  name: 'bench.small',
  limits: () => ({ perAccount: 50, perProcess: 200 }),
  async handle({ data }) {
    startedMs[data.n] = performance.now()
    if (--left === 0) whenDone.resolve()
    return undefined
  },
})
stack.use(startWorkers({ app, jobs: [small as never] }))

console.log(machine())
await pause(1_000)
const waits: number[] = []
for (let n = 0; n < idleTries; n++) {
  const putMs = await put([n])
  waits.push(startedMs[n]! - putMs)
  await pause(Math.random() * 50)
}
waits.sort((a, b) => a - b)
const at = (share: number): string => waits[Math.floor(waits.length * share)]!.toFixed(1)
console.log(`idle: from the commit to the start p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${idleTries} tries)`)

const beganMs = performance.now()
await put(Array.from({ length: count }, (_, n) => n))
const seconds = (performance.now() - beganMs) / 1000
console.log(
  `busy: ${count} jobs of ${accounts.length} accounts in ${seconds.toFixed(1)} s: ${Math.round(count / seconds)}/s`,
)

/** Enqueues jobs and waits until the last one starts; returns the time of the first commit. */
async function put(numbers: number[]): Promise<number> {
  whenDone = Promise.withResolvers()
  left = numbers.length
  let committedMs = 0
  for (let from = 0; from < numbers.length; from += 500) {
    const asks = numbers
      .slice(from, from + 500)
      .map((n): JobOptions<{ n: number }> => ({ accountId: accounts[n % accounts.length]!, data: { n } }))
    await app.db.tx((tx) => app.jobs.enqueue(tx, small, ...asks))
    committedMs ||= performance.now()
  }
  await whenDone.promise
  return committedMs
}
