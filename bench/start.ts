/**
 * `npm run bench:start [times]`: the cost of starting the server on an existing, migrated database, so that PostgreSQL is not in the
 * figures. CPU is user and system time of all threads of the server's process, from its spawn to the first 200 of /health/ready, and
 * separately that of warming up; the stall is the longest answer of /health/live, requested every 10 ms, while the server warms up. The
 * first start, with an empty compile cache, is reported separately.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { openLog } from '#platform/log'
import { startEmbedded } from '#platform/postgres'
import { freePort } from '../tests/harness/free-port.ts'
import { cpuSeconds, machine, root, started, temporaryFolder } from './stage.ts'

const times = Number(process.argv[2] ?? 10)
/** How long to wait for the log line that ends the warm-up. */
const maxWarmingMs = 10_000

interface Start {
  readyMs: number
  readyCpu: number
  warmMs: number
  warmCpu: number
  maxMs: number
  /** The longest step of the warm-up, as the server measured it. */
  maxStepLength: string
}

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const log = openLog('warn')
const embedded = stack.use(await startEmbedded({ dataDir: path.join(folder, 'postgres'), log }))
console.log(machine())
const first = await startOnce()
const starts: Start[] = []
for (let n = 0; n < times; n++) starts.push(await startOnce())

printMedians('compile cache empty', [first])
printMedians(`compile cache filled, ${times} starts, medians`, starts)

function printMedians(name: string, of: Start[]): void {
  const median = (pick: (start: Start) => number): number =>
    of.map(pick).sort((a, b) => a - b)[Math.floor((of.length - 1) / 2)]!
  console.log(`${name}
  to the first 200 of /health/ready  ${median((s) => s.readyCpu).toFixed(2)} s CPU, ${Math.round(median((s) => s.readyMs))} ms
  warming                            ${median((s) => s.warmCpu).toFixed(2)} s CPU, ${Math.round(median((s) => s.warmMs))} ms
  longest /health/live while warming ${Math.round(median((s) => s.maxMs))} ms; at most ${Math.round(Math.max(...of.map((s) => s.maxMs)))} ms
  longest step                       ${of.at(-1)!.maxStepLength}`)
}

async function startOnce(): Promise<Start> {
  const port = await freePort()
  const beganMs = performance.now()
  const child = spawn(process.execPath, started, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      KHERAD_PORT: String(port),
      KHERAD_APPS_PORT: '0',
      KHERAD_DATA: path.join(folder, 'data'),
      DATABASE_URL: embedded.url,
      KHERAD_LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const gone = once(child, 'exit')
  const warmed = Promise.withResolvers<Record<string, unknown>>()
  createInterface(child.stderr).on('line', (line) => {
    if (line.includes('"msg":"warm"')) warmed.resolve(JSON.parse(line))
  })
  const timer = setTimeout(() => warmed.resolve({}), maxWarmingMs)
  try {
    const url = `http://127.0.0.1:${port}`
    while (!(await answers(`${url}/health/ready`))) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    }
    const readyCpu = cpuSeconds(child.pid!)
    const readyMs = performance.now() - beganMs
    const maxMs = await maxAnswerLength(`${url}/health/live`, warmed.promise)
    const figures = await warmed.promise
    return {
      readyMs,
      readyCpu,
      warmMs: Number(figures['ms'] ?? Number.NaN),
      warmCpu: cpuSeconds(child.pid!) - readyCpu,
      maxMs,
      maxStepLength: `${figures['longest_cpu_ms'] ?? '?'} ms CPU, ${figures['longest'] ?? '?'}`,
    }
  } finally {
    clearTimeout(timer)
    child.kill('SIGTERM')
    await gone
  }
}

async function answers(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  get(url, { agent: false }, (reply) => reply.resume().on('end', () => resolve(reply.statusCode === 200))).on(
    'error',
    () => setTimeout(() => resolve(false), 5),
  )
  return promise
}

/** The longest of the answers to a request every 10 ms, in milliseconds. */
async function maxAnswerLength(url: string, end: Promise<unknown>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let over = false
  void end.then(() => {
    over = true
  })
  let maxMs = 0
  while (!over) {
    const beganMs = performance.now()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    get(url, { agent }, (reply) => reply.resume().on('end', resolve)).on('error', reject)
    await promise
    maxMs = Math.max(maxMs, performance.now() - beganMs)
    await new Promise((next) => setTimeout(next, 10))
  }
  agent.destroy()
  return maxMs
}
