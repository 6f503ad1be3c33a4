/**
 * What functions of clouds cost: cold starts, warm calls, the memory of thirty started clouds, and what a neighbour notices of one that never stops
 * calculating. In jails, without HTTP and database before them: `node bench/clouds/functions.ts`, as root and as a plain user.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Registry } from 'prom-client'
import { brokerSeries, functionSeries, openBroker, openFunctionRuntime } from '#cloud/functions'
import { openGuardedClient } from '#platform/net'
import { median, row, table } from '../table.ts'

const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

export interface FunctionFigures {
  coldP50Ms: number
  coldP95Ms: number
  warmP50Ms: number
  warmP99Ms: number
  /** Of processes of thirty clouds, each of which answered within the last second, jails included. */
  pssMb: number
  clouds: number
  /** The 99th percentile of a neighbour's calls while another cloud calculates without end, as a multiple of that without. */
  neighbourRatio: number
}

const bundle = `export default { async fetch(request) {
  const { pathname } = new URL(request.url)
  if (pathname === '/loop') for (;;);
  return new Response('hello')
} }`

export async function measureFunctions({
  starts = 40,
  calls = 2_000,
  clouds = 30,
} = {}): Promise<FunctionFigures> {
  const registry = new Registry()
  const metrics = { ...functionSeries(registry), ...brokerSeries(registry) }
  await using broker = openBroker({
    net: openGuardedClient({ allowedCidrs: [] }),
    log,
    metrics: metrics as never,
    listeners: () => ({}),
    depthSigner: async () => () => Buffer.alloc(32),
    egressOf: () => ({ take: async () => true }),
  })
  await using runtime = openFunctionRuntime({
    config: { mode: 'jailed', processes: 64 },
    log,
    metrics: metrics as never,
    source: {
      program: async (cloud) => ({
        ...cloud,
        ref: 'measured',
        plan: 'starter' as const,
        cloudUrl: 'http://measured.invalid',
        functions: [{ name: 'hello', version: 1, bundle }],
        bindings: { SECRET: 'value' },
        secretValues: [],
      }),
      log() {},
    },
    openEgress: broker.open.bind(broker),
  })
  const state = await runtime.state()
  if (state.kind !== 'jailed') throw new Error(state.kind === 'refused' ? state.why.en : state.kind)
  const call = async (cloudId: string, path = '/'): Promise<number> => {
    const beganMs = performance.now()
    const answer = await runtime.call({
      ...{
        accountId: 'bench',
        cloudId,
        ref: 'measured',
        plan: 'starter' as const,
        revision: 1,
        name: 'hello',
        requestId: randomUUID(),
      },
      ...{ method: 'GET', url: `http://measured.invalid${path}`, headers: [], body: undefined, depth: 0 },
      signal: new AbortController().signal,
    })
    await text(answer.body)
    return performance.now() - beganMs
  }
  const cold = await coldStarts(call, (cloudId) => runtime.forget({ accountId: 'bench', cloudId }), starts)
  const steady = randomUUID()
  await call(steady)
  const warm = await series(calls, () => call(steady))
  const looping = randomUUID()
  let isOver = false
  const attack = (async () => {
    while (!isOver) await call(looping, '/loop').catch(() => {})
  })()
  const beside = await series(calls, () => call(steady))
  isOver = true
  const started = await memoryOf(call, clouds)
  await attack
  return {
    coldP50Ms: percentile(cold, 50),
    coldP95Ms: percentile(cold, 95),
    warmP50Ms: percentile(warm, 50),
    warmP99Ms: percentile(warm, 99),
    ...started,
    clouds,
    neighbourRatio: percentile(beside, 99) / percentile(warm, 99),
  }
}

async function coldStarts(
  call: (cloudId: string) => Promise<number>,
  forget: (cloudId: string) => Promise<void>,
  count: number,
): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; number <= count; number++) {
    const cloudId = randomUUID()
    const ms = await call(cloudId)
    // The first one finds the program outside of the memory of the machine.
    if (number > 0) times.push(ms)
    await forget(cloudId)
  }
  return times
}

async function series(count: number, once: () => Promise<number>): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; number < count; number++) times.push(await once())
  return times
}

async function memoryOf(
  call: (cloudId: string) => Promise<number>,
  count: number,
): Promise<{ pssMb: number }> {
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const id of ids) await call(id)
  for (const id of ids) await call(id)
  const pages = below(process.pid).reduce((sum, pid) => sum + pssKb(pid), 0)
  return { pssMb: pages / 1_000 }
}

/** All processes that this one has started, directly or not. */
function below(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const]
      } catch {
        return []
      }
    })
  const found = new Set([root])
  for (let size = 0; size !== found.size; ) {
    size = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return [...found].filter((pid) => pid !== root)
}

function pssKb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const percentile = (values: readonly number[], percent: number): number =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor((values.length * percent) / 100))
  ]!

if (import.meta.main) {
  const runs: FunctionFigures[] = []
  for (let number = 0; number < 3; number++) runs.push(await measureFunctions())
  const of = (name: keyof FunctionFigures, digits = 1): string =>
    median(runs.map((run) => run[name])).toFixed(digits)
  table(['functions, median of three runs', 'measured', 'wanted'])
  row(['cold start p50, p95', `${of('coldP50Ms')} ms, ${of('coldP95Ms')} ms`, 'p95 ≤ 60 ms'])
  row(['warm call p50, p99', `${of('warmP50Ms', 2)} ms, ${of('warmP99Ms', 2)} ms`, 'p50 ≤ 2 ms'])
  row(['memory of 30 started clouds (PSS)', `${of('pssMb', 0)} MB`, '≤ 450 MB'])
  row(['neighbour p99 beside an endless loop', `${of('neighbourRatio')} ×`, '≤ 2 ×'])
}
