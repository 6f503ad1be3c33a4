/**
 * Start-time fair queueing over flows, by the processor time of their tasks with all microtasks that they leave behind: the flow that has had the
 * least has the next turn. One that comes after a rest begins where the others are, before them: a rest is no saving, and work is no debt beyond one task.
 */
import { FlowHeap } from './heap.ts'

export interface SchedulerOptions {
  /** Of one turn of the event loop, for all flows together. */
  budgetMs?: number
  /** Monotonic. */
  nowMs?: () => number
  /** Behind what runs now, in the same turn of the event loop. */
  soon?: (run: () => void) => void
  /** When no microtask waits any more. */
  settled?: (run: () => void) => void
  /** In the next turn of the event loop, behind what the network brought. */
  nextTurn?: (run: () => void) => void
}

export interface FlowBounds {
  tasks: number
  bytes: number
}

type Task = () => void

const defaults: Required<SchedulerOptions> = {
  budgetMs: 4,
  nowMs: () => performance.now(),
  soon: (run) => process.nextTick(run),
  // Node runs what is to run at the next tick when the queue of microtasks is empty.
  settled: (run) => queueMicrotask(() => process.nextTick(run)),
  nextTurn: (run) => void setImmediate(run),
}

const unbounded: FlowBounds = { tasks: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

const leastMs = 0.001

export class Scheduler {
  readonly #options: Required<SchedulerOptions>
  readonly #active = new FlowHeap()
  /** What the flow whose turn it is has had: where the others are, at least. */
  #virtualMs = 0
  #isRunning = false
  #isTurnCounted = false
  #spentMs = 0

  constructor(options: SchedulerOptions = {}) {
    this.#options = { ...defaults, ...options }
  }

  /** Of one peer. `bounds`: of what `offer` lets wait. */
  flow(bounds: FlowBounds = unbounded): Flow {
    const flow: Flow = new Flow(bounds, () => this.#activate(flow))
    return flow
  }

  #activate(flow: Flow): void {
    if (!flow.isActive) {
      flow.isActive = true
      flow.hadMs = Math.max(flow.hadMs, this.#virtualMs)
      this.#active.push(flow)
    }
    this.#start()
  }

  #start(): void {
    if (this.#isRunning || this.#spentMs >= this.#options.budgetMs) return
    this.#isRunning = true
    this.#options.soon(() => this.#step())
  }

  #step(): void {
    const flow = this.#spentMs < this.#options.budgetMs ? this.#active.shift() : undefined
    if (flow === undefined) {
      this.#isRunning = false
      return
    }
    this.#countTurn()
    const { nowMs, settled } = this.#options
    this.#virtualMs = flow.hadMs
    const beganMs = nowMs()
    try {
      flow.run()
    } finally {
      settled(() => {
        this.#charge(flow, nowMs() - beganMs)
        this.#step()
      })
    }
  }

  #charge(flow: Flow, tookMs: number): void {
    this.#spentMs += tookMs
    // A task that the clock does not see goes behind those of others all the same.
    flow.hadMs += Math.max(tookMs, leastMs)
    flow.isActive = flow.waiting > 0
    if (flow.isActive) this.#active.push(flow)
  }

  #countTurn(): void {
    if (this.#isTurnCounted) return
    this.#isTurnCounted = true
    this.#options.nextTurn(() => {
      this.#isTurnCounted = false
      this.#spentMs = 0
      if (this.#active.size > 0) this.#start()
    })
  }
}

/** What waits of one peer, in its order. */
export class Flow implements Disposable {
  readonly #bounds: FlowBounds
  readonly #activate: () => void
  #tasks: { task: Task; bytes: number }[] = []
  #bytes = 0
  #isClosed = false
  /** Of its scheduler. */
  isActive = false
  hadMs = 0

  constructor(bounds: FlowBounds, activate: () => void) {
    this.#bounds = bounds
    this.#activate = activate
  }

  get waiting(): number {
    return this.#tasks.length
  }

  /** False where as much waits as may: the task is not run. */
  offer(task: Task, bytes: number): boolean {
    const { tasks, bytes: mostBytes } = this.#bounds
    if (this.#tasks.length >= tasks || this.#bytes + bytes > mostBytes) return false
    this.#push(task, bytes)
    return true
  }

  /** For whoever adds the next one when this one has run. */
  add(task: Task): void {
    this.#push(task, 0)
  }

  /** Resolves when it has its turn; what goes on from there is of this turn. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.add(resolve))
  }

  /** Of its scheduler: the task that came first, unless it was closed meanwhile. */
  run(): void {
    const next = this.#tasks.shift()
    if (next === undefined) return
    this.#bytes -= next.bytes
    next.task()
  }

  /** What waits is not run any more, nor what comes. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#tasks = []
    this.#bytes = 0
  }

  #push(task: Task, bytes: number): void {
    if (this.#isClosed) return
    this.#tasks.push({ task, bytes })
    this.#bytes += bytes
    this.#activate()
  }
}
