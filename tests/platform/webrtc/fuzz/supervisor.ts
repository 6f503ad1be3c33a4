/** Keeps a thread at its cases: one that hangs or has no memory left is ended, and the next begins behind its case. */
import { Worker } from 'node:worker_threads'
import { type FuzzStats, noStats } from './fuzzer.ts'
import { type Finding, Journal } from './journal.ts'
import { targetNames, targetOf } from './targets.ts'
import { control, type WorkerMessage, type WorkerTask } from './worker.ts'

export interface SupervisorOptions {
  seed: number
  corpus: string
  from: number
  to: number
  found(finding: Finding): void
}

/** A case takes milliseconds; a healthy call up to 20 s before it is given up. Looks are counted, since a machine that stands still looks at nothing. */
const maxLooks = 30
const lookMs = 1_000
const maxHeapMb = 1_024
const maxRestarts = 20

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #past: FuzzStats[] = []
  #current: FuzzStats | undefined
  #state: Int32Array | undefined
  #isStopped = false

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Runs cases until `stop`, or to the last. Resolves with false where too many threads had to be ended. */
  async run(): Promise<boolean> {
    let from = this.#options.from
    for (let starts = 0; starts <= maxRestarts && from < this.#options.to && !this.#isStopped; starts++) {
      const failed = await this.#runFrom(from)
      if (failed === undefined) return true
      from = failed + 1
    }
    return this.#isStopped || from >= this.#options.to
  }

  stop(): void {
    this.#isStopped = true
    if (this.#state !== undefined) Atomics.store(this.#state, control.stop, 1)
  }

  /** The sum of all threads. */
  get stats(): FuzzStats {
    return [...this.#past, ...(this.#current ? [this.#current] : [])].reduce(sumOf, noStats())
  }

  /** Resolves with the case at which the thread had to be ended. */
  async #runFrom(from: number): Promise<number | undefined> {
    const { seed, corpus, to, found } = this.#options
    const journal = Journal.shared()
    const memory = new SharedArrayBuffer(4 * control.count)
    this.#state = new Int32Array(memory)
    const task: WorkerTask = {
      seed,
      corpus,
      from,
      to,
      journal: journal.memory as SharedArrayBuffer,
      control: memory,
    }
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    const end = Promise.withResolvers<'done' | Error>()
    worker.on('message', (message: WorkerMessage) => {
      if ('finding' in message) found(message.finding)
      else if ('stats' in message) this.#current = message.stats
      else end.resolve('done')
    })
    worker.on('error', (error: Error) => end.resolve(error))
    worker.on('exit', () => end.resolve(new Error('the thread has ended')))
    const watch = watchOver(this.#state, () => end.resolve(new Error(`no case has ended for ${maxLooks} s`)))
    const why = await end.promise
    clearInterval(watch)
    await worker.terminate()
    if (this.#current !== undefined) this.#past.push(this.#current)
    this.#current = undefined
    if (why === 'done') return undefined
    const { number, inputs } = journal.read()
    const detail = why.message
    found({ kind: 'hang', target: targetOf(number), seed, number, detail, stack: why.stack, inputs })
    return number
  }
}

function watchOver(state: Int32Array, hangs: () => void): NodeJS.Timeout {
  let last = -1
  let looks = 0
  return setInterval(() => {
    const progress = Atomics.load(state, control.progress)
    looks = progress === last ? looks + 1 : 0
    last = progress
    if (looks === maxLooks) hangs()
  }, lookMs)
}

function sumOf(sum: FuzzStats, more: FuzzStats): FuzzStats {
  for (const name of targetNames) {
    const [to, from] = [sum.targets[name], more.targets[name]]
    to.cases += from.cases
    to.refused += from.refused
    to.cpuMs += from.cpuMs
    if (from.slowestMs > to.slowestMs) Object.assign(to, { slowestMs: from.slowestMs, slowest: from.slowest })
  }
  sum.healthyCalls += more.healthyCalls
  sum.dropped += more.dropped
  sum.clientErrors += more.clientErrors
  sum.memory.push(...more.memory)
  return sum
}
