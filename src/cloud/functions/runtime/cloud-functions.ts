import type { CloudKey } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { CloudProgram, FunctionAnswer, FunctionCall, FunctionSource } from '../functions.ts'
import { callFunction } from './call-function.ts'
import { CallQueue } from './call-queue.ts'
import type { RuntimeLimits } from './limits.ts'
import type { WorkerProcess } from './worker-process.ts'

export interface CloudFunctionsOptions {
  cloud: CloudKey
  limits: RuntimeLimits
  source: Pick<FunctionSource, 'program'>
  /** Starts a process, or throws why it cannot be started. */
  start(program: CloudProgram): Promise<WorkerProcess>
}

/** How many processes may end badly within a short time before a new one waits. */
const freeRestarts = 3
const badEndingWindowMs = 10_000
const maxPauseMs = 1_000

/** The functions of one cloud on this machine: at most one process that takes calls, and older ones that finish theirs. */
export class CloudFunctions {
  readonly #options: CloudFunctionsOptions
  /**
   * One queue for each depth of calls: a call waits only for calls that are as deep, and these only for deeper ones. With one queue for all, four
   * calls that each call a function of their own cloud would wait for each other.
   */
  readonly #queues = new Map<number, CallQueue>()
  readonly #leaving = new Set<WorkerProcess>()
  #worker: WorkerProcess | undefined
  #starting: { revision: number; worker: Promise<WorkerProcess> } | undefined
  /** When processes ended unexpectedly. */
  #badEndings: number[] = []
  #isForgotten = false

  constructor(options: CloudFunctionsOptions) {
    this.#options = options
  }

  /** The time of the last call, of performance.now(). */
  get lastCallMs(): number {
    return this.#worker?.lastCallMs ?? 0
  }

  /** Whether no call runs or waits, and no work goes on after one. */
  get isIdle(): boolean {
    const isQuiet = [...this.#queues.values()].every(({ isEmpty }) => isEmpty)
    return isQuiet && this.#starting === undefined && (this.#worker?.calls.size ?? 0) === 0
  }

  get hasProcess(): boolean {
    return this.#worker !== undefined || this.#starting !== undefined
  }

  /** True where nothing of the cloud is left here. */
  get isGone(): boolean {
    return this.isIdle && !this.#worker && this.#leaving.size === 0 && this.#badEndings.length === 0
  }

  async call(call: FunctionCall): Promise<FunctionAnswer> {
    const place = await this.#queueOf(call.depth).enter(call.signal)
    const leave = () => place[Symbol.dispose]()
    const worker = await this.#workerFor(call).catch((error: unknown) => {
      leave()
      throw error
    })
    return callFunction(worker, call, this.#options.limits, leave)
  }

  async #workerFor(call: FunctionCall): Promise<WorkerProcess> {
    const worker = await this.#current(call)
    call.signal.throwIfAborted()
    return worker.has(call.name) ? worker : fail('FUNCTION_NOT_FOUND', {})
  }

  #queueOf(depth: number): CallQueue {
    let queue = this.#queues.get(depth)
    if (!queue) {
      queue = new CallQueue(this.#options.limits)
      this.#queues.set(depth, queue)
    }
    return queue
  }

  /** Called by the watchdog, some fifty times a second. */
  look(nowMs: number): void {
    for (const worker of this.#leaving) worker.look(nowMs)
    this.#worker?.look(nowMs)
    this.#badEndings = this.#badEndings.filter((endedMs) => nowMs - endedMs < badEndingWindowMs)
    if (this.isIdle && this.#worker && nowMs - this.#worker.lastCallMs > this.#options.limits.idleMs)
      this.endProcess()
  }

  /** Ends the process, which nobody calls. */
  endProcess(): void {
    this.#worker?.kill('ended')
    this.#worker = undefined
  }

  /** Ends all processes of the cloud, whoever calls it. */
  async forget(): Promise<void> {
    this.#isForgotten = true
    const starting = await this.#starting?.worker.catch(() => undefined)
    const workers = [starting, this.#worker, ...this.#leaving].filter((worker) => worker !== undefined)
    for (const worker of workers) worker.kill('ended')
    await Promise.all(workers.map(({ ended }) => ended))
  }

  async #current(call: FunctionCall): Promise<WorkerProcess> {
    const worker = this.#worker
    if (worker && !worker.isOver && worker.revision >= call.revision) return worker
    if (this.#starting && this.#starting.revision >= call.revision) return this.#starting.worker
    const begun = { revision: call.revision, worker: this.#replace(call, this.#starting?.worker) }
    this.#starting = begun
    try {
      return await begun.worker
    } finally {
      if (this.#starting === begun) this.#starting = undefined
    }
  }

  async #replace(call: FunctionCall, before: Promise<WorkerProcess> | undefined): Promise<WorkerProcess> {
    await before?.catch(() => {})
    await this.#pause()
    const program = await this.#options.source.program({ ...this.#options.cloud, revision: call.revision })
    if (!program || this.#isForgotten) return fail('FUNCTION_NOT_FOUND', {})
    if (program.functions.length === 0) return fail('FUNCTION_NOT_FOUND', {})
    const worker = await this.#options.start(program)
    if (this.#isForgotten) {
      worker.kill('ended')
      return fail('FUNCTION_NOT_FOUND', {})
    }
    this.#leaveOld()
    this.#worker = worker
    void worker.ended.then((ending) => this.#ended(worker, ending))
    return worker
  }

  /** Waits where processes ended badly: a cloud that lets every process die gets new ones more and more slowly. The first few cost no wait. */
  async #pause(): Promise<void> {
    const many = this.#badEndings.length - freeRestarts
    if (many >= 0) await new Promise((resolve) => setTimeout(resolve, Math.min(maxPauseMs, 100 * 2 ** many)))
  }

  /** Lets the previous process finish the calls that it has, and ends it then. */
  #leaveOld(): void {
    const old = this.#worker
    if (!old || old.isOver) return
    this.#leaving.add(old)
    if (old.calls.size === 0) old.kill('ended')
    const look = setInterval(() => {
      if (old.calls.size === 0) old.kill('ended')
    }, 20)
    void old.ended.then(() => {
      clearInterval(look)
      this.#leaving.delete(old)
    })
  }

  #ended(worker: WorkerProcess, ending: string): void {
    if (this.#worker === worker) this.#worker = undefined
    if (ending !== 'ended') this.#badEndings.push(performance.now())
  }
}
