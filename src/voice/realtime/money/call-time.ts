/**
 * The cost of the time of a call: one step that grows, a little ahead of the clock, so that a process that dies charges little more than was used.
 */
import type { Cost } from '#core/models'
import type { Clock } from '#platform/clock'
import { Failure } from '#platform/errors'
import type { CallStep } from './step.ts'

/** The seconds in the first hold of a call whose time costs credits. */
export const firstHoldSeconds = 75
/** How far ahead of the clock the step is, in seconds: until the tick after the next one. */
const aheadSeconds = 10
/** The hold grows when it has fewer free seconds than `refillBelowSeconds`, to `refillToSeconds`. */
const refillBelowSeconds = 30
const refillToSeconds = 60
/** The seconds between two ticks. */
const tickSeconds = 5

/** The part of the call's money that its time needs. */
interface TimeMoney {
  readonly call: { model: string }
  step(step: { kind: 'seconds'; model: string; worst: bigint }): Promise<CallStep>
  grow(step: CallStep, worst: bigint): Promise<void>
  /** The micro-credits that are held and not taken. */
  readonly free: bigint
  /** Makes this amount free, or as much of it as the balance covers. */
  fill(free: bigint): Promise<void>
}

/** `short`: from now on the balance covers no more than is held; `over`: the held credits end before the next tick. */
type TimeState = 'paid' | 'short' | 'over'

export class CallTime {
  readonly #costOf: (seconds: number) => Cost
  readonly #clock: Clock
  #beganMs = 0
  #step: CallStep | undefined
  /** The seconds that the step covers so far. */
  #seconds = 0
  #isShort = false

  constructor(costOf: (seconds: number) => Cost, clock: Clock) {
    this.#costOf = costOf
    this.#clock = clock
  }

  async start(money: TimeMoney): Promise<void> {
    this.#beganMs = this.#clock.nowMs()
    this.#seconds = aheadSeconds
    this.#step = await money.step({
      kind: 'seconds',
      model: money.call.model,
      worst: this.#price(aheadSeconds),
    })
  }

  /** Pays for the coming seconds; call at each tick. */
  async pay(money: TimeMoney): Promise<TimeState> {
    const step = this.#step
    if (!step) return 'paid'
    const seconds = this.#elapsed + aheadSeconds
    const more = this.#price(seconds) - step.worst
    const few = more + this.#price(refillBelowSeconds)
    const wasShort = this.#isShort
    if (money.free < few) await money.fill(more + this.#price(refillToSeconds))
    this.#isShort = money.free < few
    try {
      await money.grow(step, this.#price(seconds))
      this.#seconds = seconds
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 402) throw error
      if (this.#elapsed + tickSeconds >= this.#seconds) return 'over'
    }
    return this.#isShort && !wasShort ? 'short' : 'paid'
  }

  /** Call at the end of the call. Time that passed without a tick, as while the database was away, is paid from the free credits. */
  stop(free: bigint): void {
    const step = this.#step
    if (!step) return
    this.#step = undefined
    const seconds = Math.max(1, this.#elapsed)
    const cost = this.#costOf(seconds)
    const missing = cost.microcredits - step.worst
    if (missing > 0n && free > 0n) step.worst += missing < free ? missing : free
    step.done(cost, { quantities: { seconds } })
  }

  #price(seconds: number): bigint {
    return this.#costOf(seconds).microcredits
  }

  get #elapsed(): number {
    return Math.ceil((this.#clock.nowMs() - this.#beganMs) / 1000)
  }
}
