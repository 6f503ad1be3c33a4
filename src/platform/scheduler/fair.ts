/**
 * Start-time fair queueing over flows, by the processor time of their tasks, including all microtasks that they leave behind: the flow that has used
 * the least time has the next turn. A flow that becomes active after a rest starts with the time of the others, ahead of them: a rest saves up
 * nothing, and a flow never owes more than one task.
 */
import { FlowHeap } from './heap.ts'

export interface SchedulerOptions {
  /** The time of one turn of the event loop, for all flows together. */
  budgetMs?: number
  /** A monotonic clock. */
  nowMs?: () => number
  /** Runs a function after the current one, in the same turn of the event loop. */
  soon?: (run: () => void) => void
  /** Runs a function when no microtask is waiting any more. */
  settled?: (run: () => void) => void
  /** Runs a function in the next turn of the event loop, after the events of the network. */
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
  // Node runs functions of the next tick when the queue of microtasks is empty.
  settled: (run) => queueMicrotask(() => process.nextTick(run)),
  nextTurn: (run) => void setImmediate(run),
}

const unbounded: FlowBounds = { tasks: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }

const leastMs = 0.001

export class Scheduler {
  readonly #options: Required<SchedulerOptions>
  readonly #active = new FlowHeap()
  /** The time that the current flow had used before its turn; a flow that becomes active starts there at least. */
  #virtualMs = 0
  #isRunning = false
  #isTurnCounted = false
  #spentMs = 0

  constructor(options: SchedulerOptions = {}) {
    this.#options = { ...defaults, ...options }
  }

  /** Makes the flow of one peer. `bounds` limits what `offer` lets wait. */
  flow(bounds: FlowBounds = unbounded): Flow {
    const flow: Flow = new Flow(bounds, () => this.#activate(flow))
    return flow
  }

  #activate(flow: Flow): void {
    if (!flow.isActive) {
      flow.isActive = true
      flow.usedMs = Math.max(flow.usedMs, this.#virtualMs)
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
    this.#virtualMs = flow.usedMs
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
    // A task too short for the clock counts too, so that the flow goes behind the others.
    flow.usedMs += Math.max(tookMs, leastMs)
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

/** The waiting tasks of one peer, in order. */
export class Flow implements Disposable {
  readonly #bounds: FlowBounds
  readonly #activate: () => void
  #tasks: { task: Task; bytes: number }[] = []
  #bytes = 0
  #isClosed = false
  /** The scheduler uses this and `usedMs`. */
  isActive = false
  usedMs = 0

  constructor(bounds: FlowBounds, activate: () => void) {
    this.#bounds = bounds
    this.#activate = activate
  }

  get waiting(): number {
    return this.#tasks.length
  }

  /** Adds a task. Returns false, and does not run the task, if too much is waiting. */
  offer(task: Task, bytes: number): boolean {
    const { tasks, bytes: maxBytes } = this.#bounds
    if (this.#tasks.length >= tasks || this.#bytes + bytes > maxBytes) return false
    this.#push(task, bytes)
    return true
  }

  /** Adds a task without limits, for a peer that adds its next task when this one has run. */
  add(task: Task): void {
    this.#push(task, 0)
  }

  /** Resolves when the flow has its turn; the code that follows belongs to that turn. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.add(resolve))
  }

  /** Called by the scheduler: runs the oldest task, unless the flow was closed meanwhile. */
  run(): void {
    const next = this.#tasks.shift()
    if (next === undefined) return
    this.#bytes -= next.bytes
    next.task()
  }

  /** Discards waiting tasks, and all later ones. */
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
