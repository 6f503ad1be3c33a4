/** Pays ahead for what an upstream makes by itself: one step is always open before it begins. */
import { Failure } from '#platform/errors'
import { CallOver } from '../../money/over.ts'
import type { RunningMoney } from '../../money/running-money.ts'
import type { CallStep } from '../../money/step.ts'
import type { StepKind } from '../../parts.ts'

export interface StepsAheadOptions {
  kind: StepKind
  /** The id of the model on this server. */
  model: string
  /** The most that one step may cost, in micro-credits. */
  worst: bigint
  /** Called when the balance does not cover the next step. */
  refused(): void
  /** Called when the upstream has begun work that the balance did not cover. */
  unpaid(): void
  broke(error: unknown): void
}

export class StepsAhead {
  readonly #money: RunningMoney
  readonly #options: StepsAheadOptions
  #worst: bigint
  #next: Promise<CallStep | undefined> = Promise.resolve(undefined)

  constructor(money: RunningMoney, options: StepsAheadOptions) {
    this.#money = money
    this.#options = options
    this.#worst = options.worst
  }

  get worst(): bigint {
    return this.#worst
  }

  /** Opens a step where none is open. Returns false where the balance does not cover it. */
  async fill(): Promise<boolean> {
    this.#next = this.#next.then((step) => step ?? this.#open())
    return (await this.#next) !== undefined
  }

  /**
   * The step for work that the upstream has begun; another step is opened. If none could be opened, the whole cost is the platform's loss. Throws
   * `CallOver`.
   */
  async take(): Promise<CallStep> {
    const { kind, model, refused, unpaid } = this.#options
    // Steps under way when the next one was refused may have left enough since.
    const taken = this.#next.then((step) => step ?? this.#open())
    // The next step is opened at once: work that begins in the same moment waits for it.
    this.#next = taken.then((step) => step && this.#open())
    const next = this.#next
    const step = await taken
    if (!step) {
      unpaid()
      return this.#money.step({ kind, model, worst: 0n })
    }
    this.#money.markTaken(step)
    void next.then((following) => {
      if (!following) refused()
    })
    return step
  }

  /** Sets the most that one step may cost from now on, the open one included. */
  async setWorst(worst: bigint): Promise<void> {
    this.#worst = worst
    const step = await this.#next
    if (!step || step.worst >= worst) return
    const grown = await this.#unlessRefused(async () => {
      await step.grow(worst)
      return step
    })
    if (!grown) this.#options.refused()
  }

  #open(): Promise<CallStep | undefined> {
    const { kind, model } = this.#options
    return this.#unlessRefused(() => this.#money.step({ kind, model, worst: this.#worst, isAhead: true }))
  }

  /** Returns undefined where the work is refused; never rejects. Any other failure ends the call. */
  async #unlessRefused(work: () => Promise<CallStep>): Promise<CallStep | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CallOver) && !(error instanceof Failure)) this.#options.broke(error)
      return undefined
    }
  }
}
