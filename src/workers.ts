/**
 * `KHERAD_WORKERS`: several processes of one machine behind one port. The parent process answers no request: it owns the embedded PostgreSQL,
 * starts the workers, replaces one that dies, sums their figures, and stops them in order.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '#platform/config'
import { claimFolder } from '#platform/installation'
import type { Log } from '#platform/log'
import { WorkerMetrics } from '#platform/metrics'
import { startEmbedded } from '#platform/postgres'

/** Message of a worker that is ready; the first worker's `welcome` is printed, as by a single process. */
export interface WorkerReadyMessage {
  kherad: 'ready'
  welcome: string
}

/** Minimum interval between replacements of a worker that dies at once. */
const replaceMs = 1000

export interface Workers {
  /** Stops all workers in order, then the database. */
  stop(): Promise<void>
}

/** Resolves when all workers serve. Returns undefined when the first could not start; it has printed the reason. */
export async function forkWorkers(
  config: Config,
  log: Log,
  { env, print }: { env: Record<string, string>; print: (text: string) => void },
): Promise<Workers | undefined> {
  await using starting = new AsyncDisposableStack()
  if (config.databaseUrl === undefined) await startSharedPostgres(config, log, starting)
  // Each worker takes connections itself: a connection that this process had handed to a worker that was just killed would hang for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const fleet = new Fleet(env, log)
  // The first worker starts alone: it migrates, creates the first key and proves that the port is free.
  const first = await fleet.start()
  if (!first) return undefined
  await Promise.all(Array.from({ length: config.workers - 1 }, () => fleet.serve()))
  print(first.welcome)
  log.info({ workers: config.workers }, 'all workers serve')
  const open = starting.move()
  return {
    async stop() {
      await fleet.stop()
      await open.disposeAsync()
    },
  }
}

/** Starts the PostgreSQL that all workers use and that stays while one of them is replaced. */
async function startSharedPostgres(config: Config, log: Log, starting: AsyncDisposableStack): Promise<void> {
  const { dataDir, pgBin, asCopy } = config
  const { record } = await claimFolder({ dataDir, hasOwnServer: false, asCopy, log })
  starting.use(await startEmbedded({ dataDir, pgBin, log, identity: record.id }))
}

/** The worker processes of this one; each that dies is replaced. */
class Fleet {
  /** Variables for the workers beside the environment of this process. */
  readonly #env: Record<string, string>
  readonly #log: Log
  readonly #metrics = new WorkerMetrics()
  #isStopping = false

  constructor(env: Record<string, string>, log: Log) {
    this.#env = env
    this.#log = log
  }

  /** Starts one worker; undefined where it ended before it was ready. */
  async start(): Promise<WorkerReadyMessage | undefined> {
    const worker = cluster.fork(this.#env)
    const ready = await waitUntilReady(worker)
    if (!ready) return undefined
    this.#metrics.join(worker)
    worker.once('exit', (code, signal) => void this.#replace(worker, code, signal))
    return ready
  }

  /** Starts one worker, retrying until one serves, since the cause of a failed start may be temporary. */
  async serve(): Promise<void> {
    while (!this.#isStopping && !(await this.start())) await pause(replaceMs)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(Object.values(cluster.workers ?? {}).map(stopWorker))
  }

  async #replace(worker: Worker, code: number, signal: string): Promise<void> {
    if (this.#isStopping) return
    this.#log.error({ worker: worker.id, code, signal }, 'a worker died; another takes its place')
    await pause(replaceMs)
    await this.serve()
  }
}

/** The worker's ready message, or undefined when the worker ended without one. */
async function waitUntilReady(worker: Worker): Promise<WorkerReadyMessage | undefined> {
  const ready = Promise.withResolvers<WorkerReadyMessage | undefined>()
  worker.on('message', (message: Partial<WorkerReadyMessage>) => {
    if (message?.kherad === 'ready') ready.resolve(message as WorkerReadyMessage)
  })
  worker.once('exit', () => ready.resolve(undefined))
  return ready.promise
}

async function stopWorker(worker: Worker | undefined): Promise<void> {
  if (!worker || worker.isDead()) return
  const gone = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await gone
}
