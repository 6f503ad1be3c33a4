/**
 * Threads for heavy computations, which must not block the event loop. Their number is limited. A thread is started when it is needed, ended when it
 * is idle, and killed with a task that takes too long or too much memory.
 */
import { setPriority } from 'node:os'
import { parentPort, type Transferable, Worker } from 'node:worker_threads'

export interface ThreadOptions {
  /** The module that a thread runs; it calls `serveTasks`. */
  module: URL
  /** The maximum of threads that work at the same time. */
  maxThreads: number
  /** The time limit of a task; a task that takes longer is killed. */
  timeoutMs: number
  /** The limit for JavaScript values in one thread. Buffers are not included; the task must limit them. */
  memoryMb: number
  /** The time without a task after which a thread ends. */
  idleMs?: number
}

const usualIdleMs = 10_000
const youngMb = 8

/** Thrown when a task was killed because it took too long or too much memory. */
export class ThreadKilled extends Error {
  override name = 'ThreadKilled'
}

export class Threads<Task, Result> implements AsyncDisposable {
  readonly #options: ThreadOptions
  readonly #idle: Thread[] = []
  readonly #all = new Set<Thread>()
  readonly #waiting: (() => void)[] = []
  #working = 0

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Whether a task would have to wait. */
  get isBusy(): boolean {
    return this.#working >= this.#options.maxThreads
  }

  /**
   * Runs a task in a thread; tasks wait for one first come, first served. Objects in `transfer` are moved, not copied. Throws what the task throws,
   * and ThreadKilled.
   */
  async run(task: Task, transfer: readonly Transferable[] = []): Promise<Result> {
    if (this.isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#working++
    try {
      return await this.#runNow(task, transfer)
    } finally {
      // The place is passed to the next waiting task, so that no newer task takes it.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#working--
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.end()))
  }

  async #runNow(task: Task, transfer: readonly Transferable[]): Promise<Result> {
    const thread = this.#takeIdle() ?? this.#start()
    const answer = await thread.run(task, transfer, this.#options.timeoutMs)
    this.#idle.push(thread)
    // The thread is forgotten before it ends, so that no task is given to it.
    thread.rest(this.#options.idleMs ?? usualIdleMs, () => this.#forget(thread))
    if ('error' in answer) throw answer.error
    return answer.result as Result
  }

  /** Takes an idle thread. A thread that is ending stays in the list until it is gone; a task in it would die with it. */
  #takeIdle(): Thread | undefined {
    let thread = this.#idle.pop()
    while (thread?.isEnding) thread = this.#idle.pop()
    return thread
  }

  #start(): Thread {
    const thread = new Thread(this.#options, () => {
      this.#all.delete(thread)
      this.#forget(thread)
    })
    this.#all.add(thread)
    return thread
  }

  #forget(thread: Thread): void {
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
  }
}

type TaskAnswer = { result: unknown } | { error: unknown }

class Thread {
  readonly #worker: Worker
  isEnding = false
  #resting: NodeJS.Timeout | undefined
  #answered: ((answer: TaskAnswer) => void) | undefined
  #died: ((why: unknown) => void) | undefined

  constructor({ module, memoryMb }: ThreadOptions, onEnd: () => void) {
    this.#worker = new Worker(module, {
      execArgv: ['--no-warnings'],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
    })
    this.#worker.on('message', (answer: TaskAnswer) => this.#answered?.(answer))
    this.#worker.on('error', (error) => this.#died?.(isOutOfMemory(error) ? killed(error) : error))
    this.#worker.on('exit', () => {
      this.#died?.(killed())
      onEnd()
    })
    this.#worker.unref()
  }

  async run(task: unknown, transfer: readonly Transferable[], timeoutMs: number): Promise<TaskAnswer> {
    clearTimeout(this.#resting)
    const { promise, resolve, reject } = Promise.withResolvers<TaskAnswer>()
    this.#answered = resolve
    this.#died = reject
    const timer = setTimeout(() => reject(killed()), timeoutMs)
    try {
      this.#worker.postMessage(task, transfer)
      return await promise
    } catch (error) {
      await this.end()
      throw error
    } finally {
      clearTimeout(timer)
      this.#answered = undefined
      this.#died = undefined
    }
  }

  /** Ends the thread after this time without a task; `leave` is called first. */
  rest(idleMs: number, leave: () => void): void {
    this.#resting = setTimeout(() => {
      leave()
      void this.end()
    }, idleMs).unref()
  }

  async end(): Promise<void> {
    this.isEnding = true
    clearTimeout(this.#resting)
    await this.#worker.terminate()
  }
}

const killed = (cause?: unknown) =>
  new ThreadKilled('a task was killed: it took too long or too much memory', { cause })

const isOutOfMemory = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

/** The priority of threads, below the event loop, which answers requests: if tasks use every core, tasks wait and not requests. */
const niceness = 10

/** Runs in the module of a thread: answers each task with what the function returns or throws. */
export function serveTasks<Task>(answer: (task: Task) => unknown): void {
  // On other systems this would change the priority of the whole process.
  if (process.platform === 'linux') setPriority(niceness)
  parentPort!.on('message', async (task: Task) => {
    try {
      parentPort!.postMessage({ result: await answer(task) })
    } catch (error) {
      parentPort!.postMessage({ error })
    }
  })
}
