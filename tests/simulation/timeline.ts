/**
 * Virtual time. Inside a simulation the timers and clocks of the platform are those of one timeline: whatever is due waits
 * in one queue, the seed decides between what is due at the same moment, and between two events every promise that can
 * settle has settled. Code outside of a simulation keeps the real ones.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { type Deadline, deadlines } from '#platform/clock'
import type { Random } from './random.ts'

/** What an event belongs to: with its owner it dies, and it waits while its owner is paused. */
export interface Owner {
  readonly alive: boolean
  readonly pausedUntilMs: number
  /** What its wall clock is wrong by. */
  readonly skewMs: number
}

interface Event {
  atMs: number
  tie: number
  owner: Owner | undefined
  run: (() => void) | undefined
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now,
  pause: timersPromises.setTimeout,
  turn: timersPromises.setImmediate,
  deadline: deadlines.in.bind(deadlines),
}

interface Inside {
  timeline: Timeline
  owner: Owner | undefined
}
const inside = new AsyncLocalStorage<Inside>()

export class Timeline {
  /** Since the start of the simulation. */
  nowMs = 0
  readonly startMs: number
  readonly #random: Random
  readonly #queue: Event[] = []

  constructor(random: Random, startMs: number) {
    this.#random = random
    this.startMs = startMs
  }

  /** Does `run` after that time, as part of its owner's life; without an owner it happens in any case. Answers how to call it off. */
  after(delayMs: number, owner: Owner | undefined, run: () => void): () => void {
    const event: Event = { atMs: this.nowMs + delayMs, tie: this.#random.next(), owner, run }
    this.#push(event)
    return () => {
      event.run = undefined
    }
  }

  /** Resolves after that time in the life of the owner; never when it ends before. */
  pause(delayMs: number, owner: Owner | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.after(delayMs, owner, resolve)
    })
  }

  /** Runs code as part of an owner's life: its timers and clocks are this timeline's. */
  as<Result>(owner: Owner | undefined, run: () => Result): Result {
    return inside.run({ timeline: this, owner }, run)
  }

  /** Takes what is due next; false when nothing is left before that time. */
  async step(untilMs: number): Promise<boolean> {
    const event = this.#queue[0]
    if (!event || event.atMs > untilMs) {
      this.nowMs = untilMs
      return false
    }
    this.#pop()
    const { owner, run } = event
    if (!run || (owner && !owner.alive)) return true
    this.nowMs = event.atMs
    if (owner && owner.pausedUntilMs > this.nowMs) {
      event.atMs = owner.pausedUntilMs
      event.tie = this.#random.next()
      this.#push(event)
      return true
    }
    this.as(owner, run)
    await new Promise<void>((resolve) => {
      real.setImmediate(resolve)
    })
    return true
  }

  #push(event: Event): void {
    const queue = this.#queue
    let at = queue.push(event) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(queue[at]!, queue[above]!)) break
      ;[queue[at], queue[above]] = [queue[above]!, queue[at]!]
      at = above
    }
  }

  #pop(): void {
    const queue = this.#queue
    const last = queue.pop()!
    if (queue.length === 0) return
    queue[0] = last
    for (let at = 0; ; ) {
      let first = at
      for (const below of [2 * at + 1, 2 * at + 2]) {
        if (below < queue.length && isBefore(queue[below]!, queue[first]!)) first = below
      }
      if (first === at) return
      ;[queue[at], queue[first]] = [queue[first]!, queue[at]!]
      at = first
    }
  }
}

const isBefore = (one: Event, other: Event): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.tie < other.tie)

/** A timer as Node's code expects it. */
class VirtualTimer {
  callOff: () => void = () => {}
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
  [Symbol.dispose](): void {
    this.callOff()
  }
}

type Callback = (...values: unknown[]) => void

function virtualTimeout(callback: Callback, delayMs = 0, ...values: unknown[]): unknown {
  const here = inside.getStore()
  if (!here) return real.setTimeout(callback, delayMs, ...values)
  const timer = new VirtualTimer()
  timer.callOff = here.timeline.after(Math.max(1, delayMs), here.owner, () => callback(...values))
  return timer
}

function virtualInterval(callback: Callback, everyMs = 0, ...values: unknown[]): unknown {
  const here = inside.getStore()
  if (!here) return real.setInterval(callback, everyMs, ...values)
  const { timeline, owner } = here
  const timer = new VirtualTimer()
  const again = (): void => {
    timer.callOff = timeline.after(Math.max(1, everyMs), owner, () => {
      again()
      callback(...values)
    })
  }
  again()
  return timer
}

/** The shared clock of a process is that of the owner in whose life a deadline is set. */
function virtualDeadline(ms: number, ring: () => void): Deadline {
  const here = inside.getStore()
  if (!here) return real.deadline(ms, ring)
  let callOff = (): void => {}
  let lastMs = ms
  const again = (newMs = lastMs): void => {
    callOff()
    lastMs = newMs
    callOff = here.timeline.after(Math.max(1, newMs), here.owner, ring)
  }
  again()
  return { restart: again, cancel: () => callOff() }
}

const clear =
  (ofOthers: (timer: NodeJS.Timeout | undefined) => void) =>
  (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.callOff()
    else ofOthers(timer as NodeJS.Timeout | undefined)
  }

function virtualPause(
  delayMs = 1,
  value?: unknown,
  options?: { signal?: AbortSignal; ref?: boolean },
): Promise<unknown> {
  const here = inside.getStore()
  if (!here) return real.pause(delayMs, value, options)
  return new Promise((resolve, reject) => {
    const signal = options?.signal
    if (signal?.aborted) return reject(signal.reason)
    const callOff = here.timeline.after(Math.max(1, delayMs), here.owner, () => resolve(value))
    signal?.addEventListener('abort', () => {
      callOff()
      reject(signal.reason)
    })
  })
}

function virtualTurn(value?: unknown): Promise<unknown> {
  const here = inside.getStore()
  if (!here) return real.turn(value)
  return here.timeline.pause(0, here.owner).then(() => value)
}

/** Puts the timeline's timers and clocks in the place of the real ones until disposed. Code that is in no simulation does not notice. */
export function bendTime(): Disposable {
  const bent = {
    setTimeout: virtualTimeout,
    setInterval: virtualInterval,
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
  }
  Object.assign(globalThis, bent)
  Object.assign(timersPromises, { setTimeout: virtualPause, setImmediate: virtualTurn })
  deadlines.in = virtualDeadline
  Date.now = () => {
    const here = inside.getStore()
    if (!here) return real.dateNow()
    return Math.floor(here.timeline.startMs + here.timeline.nowMs + (here.owner?.skewMs ?? 0))
  }
  performance.now = () => inside.getStore()?.timeline.nowMs ?? real.performanceNow.call(performance)
  syncBuiltinESMExports()
  return {
    [Symbol.dispose]() {
      const { setTimeout, setInterval, clearTimeout, clearInterval } = real
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval })
      Object.assign(timersPromises, { setTimeout: real.pause, setImmediate: real.turn })
      deadlines.in = real.deadline
      Date.now = real.dateNow
      performance.now = real.performanceNow
      syncBuiltinESMExports()
    },
  }
}
