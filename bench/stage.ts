/** Shared by the benchmarks: processes, their CPU time, a description of the machine, an installed peer. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import { clusterOf } from '#platform/postgres'
import { upstreamConfig } from '../tests/harness/config-text.ts'
import { freePort } from '../tests/harness/free-port.ts'
import type { LoadOptions, LoadResult } from './load.ts'

export const root = path.resolve(import.meta.dirname, '..')

export interface Running extends AsyncDisposable {
  child: ChildProcess
  url: string
}

/** Runs a program in `folder`, this checkout, until it answers at `url` + `ready`. */
export async function run(
  command: string[],
  env: Record<string, string>,
  url: string,
  ready: string,
  folder = root,
): Promise<Running> {
  const child = spawn(command[0]!, command.slice(1), {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: tmpdir(), ...env },
    stdio: ['ignore', 'ignore', process.env['BENCH_VERBOSE'] ? 'inherit' : 'ignore'],
  })
  const gone = once(child, 'exit')
  await answers(url + ready, child)
  return {
    child,
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await gone
    },
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null)
      throw new Error(`the program at ${url} ended with ${child.exitCode}; see it with BENCH_VERBOSE=1`)
    const up = await fetch(url).then(
      () => true,
      () => false,
    )
    if (up) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`nothing answers at ${url}`)
}

/** A program's process and its workers, without a database that it started. */
export function processesOf(pid: number): number[] {
  const isWorker = (child: number) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.ts')
  return [pid, ...childrenOf(pid).filter(isWorker)]
}

/** User and system CPU seconds of a program's processes and their threads (Linux). */
export const cpuSeconds = (pid: number): number =>
  processesOf(pid).reduce((sum, one) => sum + ticksOf(one).own / 100, 0)

/** Those of the PostgreSQL that this process started: of its processes that run, and of those that have ended. */
export function databaseCpuSeconds(pid: number): number {
  const isDatabase = (child: number) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('postgres')
  const postmasters = childrenOf(pid).filter(isDatabase)
  const ticks = postmasters.map((postmaster) => {
    const { own, ended } = ticksOf(postmaster)
    return childrenOf(postmaster).reduce((sum, child) => sum + ticksOf(child).own, own + ended)
  })
  return ticks.reduce((sum, each) => sum + each, 0) / 100
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Ticks of 10 ms: of the process itself, and of its children that have ended. A process that is gone has none. */
function ticksOf(pid: number): { own: number; ended: number } {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return { own: 0, ended: 0 }
  }
  const fields = stat.split(') ')[1]!.split(' ').map(Number)
  return { own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! }
}

export const residentMegabytes = (pid: number): number => {
  const kilobytes = processesOf(pid).map((one) => {
    const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${one}/status`, 'utf8'))
    return Number(line?.[1] ?? 0)
  })
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024)
}

/** Generates load from a separate process. */
export const loadFrom = (options: LoadOptions): Promise<LoadResult> => jsonFrom('bench/load.ts', options)

/** Runs a script with a JSON argument in a separate process and reads the JSON that it prints. */
export async function jsonFrom<Result>(script: string, ask: object): Promise<Result> {
  const child = spawn(process.execPath, [path.join(root, script), JSON.stringify(ask)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  await once(child, 'close')
  return JSON.parse(out)
}

/** The first key of the servers under test. */
export const key = `khr_${'bench'.repeat(9)}`

/** A folder that is deleted in the end, with the databases of servers whose folders are it or lie in it. */
export async function temporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-bench-'))
  stack.defer(async () => {
    const inside = (await readdir(folder)).map((name) => path.join(folder, name))
    // As root, the user of PostgreSQL cannot enter the folder, and a database lies elsewhere.
    for (const one of [folder, ...inside])
      await rm(await clusterOf(dataOf(one)), { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** Installs a registry package outside this project, when the benchmark runs; returns its folder. */
export function installed(name: string, version: string, folder: string): string {
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${version}`], {
    stdio: 'ignore',
  })
  return path.join(folder, 'node_modules', name)
}

export function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform}`
}

/** What `npm start` of a checkout passes to Node: its options and the program. */
export const startArguments = (checkout: string): string[] =>
  JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8'))
    .scripts.start.split(' ')
    .slice(2)
export const started = startArguments(root)

/**
 * Starts the server of this checkout, or of another one with its own program, as an operator would: on the embedded PostgreSQL of `folder`,
 * with one model at this upstream.
 */
export async function runKherad(
  folder: string,
  upstreamUrl: string,
  env: Record<string, string> = {},
  checkout = root,
): Promise<Running> {
  const port = await freePort()
  const config = path.join(folder, 'kherad.config.yaml')
  await writeFile(config, upstreamConfig(`${upstreamUrl}/v1`))
  const profile = checkout === root && process.env['BENCH_PROFILE']
  return run(
    [process.execPath, ...startArguments(checkout)],
    {
      KHERAD_PORT: String(port),
      KHERAD_APPS_PORT: '0',
      KHERAD_DATA: dataOf(folder),
      KHERAD_CONFIG: config,
      KHERAD_BOOTSTRAP_KEY: key,
      ...(profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
      ...env,
    },
    `http://127.0.0.1:${port}`,
    '/health/ready',
    checkout,
  )
}

/** The data folder of the server of `folder`. */
export const dataOf = (folder: string): string => path.join(folder, 'data')

/** Starts a script of this folder that listens on a port. */
export async function runScript(
  script: string,
  more: string[] = [],
  options: string[] = [],
  env: Record<string, string> = {},
): Promise<Running> {
  const port = await freePort()
  const command = [process.execPath, ...options, `bench/${script}`, String(port), ...more]
  return run(command, env, `http://127.0.0.1:${port}`, '/')
}

/** With the options of Node that the server has, so that their memory can be compared. */
export const runBareProxy = (upstreamUrl: string, env?: Record<string, string>): Promise<Running> =>
  runScript('bare-proxy.ts', [upstreamUrl], started.slice(0, -1), env)

/** Starts an upstream that streams as many tokens as it is asked for, at most `tokens`, one every `paceMs`. */
export const runPaced = (tokens: number, paceMs: number): Promise<Running> =>
  runScript('paced-upstream.ts', [String(tokens), String(paceMs)])

/** The commit that a checkout is at. */
export const commitOf = (checkout: string): string =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim()
