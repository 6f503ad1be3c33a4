/** What an upstream makes by itself is paid ahead: one step is always open before it begins. */
import { Failure } from '#platform/errors'
import { CallOver } from '../../money/over.ts'
import type { RunningMoney } from '../../money/running-money.ts'
import type { Step } from '../../money/step.ts'
import type { StepKind } from '../../parts.ts'

export interface StepsAheadOptions {
  kind: StepKind
  /** Ours. */
  model: string
  /** What one may cost at most, in micro-credits. */
  worst: bigint
  /** The balance does not bear the next one. */
  refused(): void
  /** The upstream has begun with one that the balance did not bear. */
  unpaid(): void
  broke(error: unknown): void
}

export class StepsAhead {
  readonly #money: RunningMoney
  readonly #options: StepsAheadOptions
  #worst: bigint
  #next: Promise<Step | undefined> = Promise.resolve(undefined)

  constructor(money: RunningMoney, options: StepsAheadOptions) {
    this.#money = money
    this.#options = options
    this.#worst = options.worst
  }

  get worst(): bigint {
    return this.#worst
  }

  /** Opens one where none is open. False where the balance does not bear it. */
  async fill(): Promise<boolean> {
    this.#next = this.#next.then((step) => step ?? this.#open())
    return (await this.#next) !== undefined
  }

  /** The upstream has begun with one, and another is opened. Of what none was open for, all of the cost is the platform's loss. Throws `CallOver`. */
  async take(): Promise<Step> {
    const { kind, model, refused, unpaid } = this.#options
    // What was under way when the next one was refused may have left enough since.
    const taken = this.#next.then((step) => step ?? this.#open())
    // At once: whatever is begun in the same moment waits for it.
    this.#next = taken.then((step) => step && this.#open())
    const next = this.#next
    const step = await taken
    if (!step) {
      unpaid()
      return this.#money.step({ kind, model, worst: 0n })
    }
    this.#money.taken(step)
    void next.then((following) => {
      if (!following) refused()
    })
    return step
  }

  /** From now on one may cost so much, the open one included. */
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

  #open(): Promise<Step | undefined> {
    const { kind, model } = this.#options
    return this.#unlessRefused(() => this.#money.step({ kind, model, worst: this.#worst, isAhead: true }))
  }

  /** Never rejects. Who has the call knows of a failure that is no refusal: it ends. */
  async #unlessRefused(work: () => Promise<Step>): Promise<Step | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CallOver) && !(error instanceof Failure)) this.#options.broke(error)
      return undefined
    }
  }
}
