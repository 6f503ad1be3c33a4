/** Counts the steps of a call whose cost is not in the database yet, and writes their costs. */
import { isDatabaseAway } from '#platform/db'
import type { CallSettlementApp } from '../app.ts'
import type { RunningCall } from './running-call.ts'
import type { CallStep } from './step.ts'
import { type StepEnd, writeStepEnds } from './step-store.ts'

export class OpenSteps {
  readonly #app: Pick<CallSettlementApp, 'db' | 'log'>
  readonly #call: RunningCall
  readonly #open = new Map<string, CallStep>()
  #unwritten: StepEnd[] = []
  #spent = 0n
  /** The cost of all other steps, which is in the database. */
  #written = 0n
  #writing: Promise<void> | undefined

  constructor(app: Pick<CallSettlementApp, 'db' | 'log'>, call: RunningCall) {
    this.#app = app
    this.#call = call
  }

  /** The cost of the steps that have ended, in micro-credits. */
  get spent(): bigint {
    return this.#spent
  }
  /**
   * What the steps of the call take from its hold. A step that has ended counts with its worst case until its cost is written, which happens before
   * more is held.
   */
  get taken(): bigint {
    let taken = this.#written
    for (const { worst } of this.#open.values()) taken += worst
    return taken
  }
  get unwritten(): readonly StepEnd[] {
    return this.#unwritten
  }
  /** Resolves when the costs that are being written, if any, are written; never rejects. */
  get writing(): Promise<void> | undefined {
    return this.#writing
  }

  add(step: CallStep): void {
    this.#open.set(step.stepId, step)
  }

  /** Removes a step that was refused. */
  remove({ stepId }: CallStep): void {
    this.#open.delete(stepId)
  }

  /** Call when a step has ended; its cost is written soon. */
  ended(end: StepEnd): void {
    this.#spent += end.cost
    this.#unwritten.push(end)
    void this.writeEnds()
  }

  /** Ends the steps whose paid call has reported its cost. */
  endSettled(): void {
    for (const step of this.#open.values())
      if (!step.end && step.isSettled) step.done(undefined, { quantities: {} })
  }

  /** Writes the costs of steps that are not in the database. Never rejects: a cost that could not be written is written with the next. */
  async writeEnds(): Promise<void> {
    if (this.#unwritten.length > 0) this.#writing ??= this.#writeEnds()
    await this.#writing
  }

  async #writeEnds(): Promise<void> {
    try {
      while (this.#unwritten.length > 0) {
        const ends = this.#unwritten.slice()
        await writeStepEnds(this.#app.db.kysely, this.#call, ends)
        this.#unwritten = this.#unwritten.slice(ends.length)
        for (const { stepId, cost } of ends) {
          this.#open.delete(stepId)
          this.#written += cost
        }
      }
    } catch (error) {
      if (!isDatabaseAway(error))
        this.#app.log.error({ err: error, receipt: this.#call.receiptId }, 'costs of a call were not written')
    } finally {
      // This runs in the same moment in which nothing was left: costs that come later are written by the next call.
      this.#writing = undefined
    }
  }
}
