/** Changes the one hold of a call, one change after the other, and repeats a change while the database is away. */
import { isDatabaseAway } from '#platform/db'
import { fail } from '#platform/errors'
import { resizeHoldInTx } from '#platform/ledger'
import type { CallSettlementApp } from '../app.ts'
import { CallOver } from './over.ts'
import type { RunningCall } from './running-call.ts'
import { type BegunStep, writeStep } from './step-store.ts'
import { maxAwayMs, retryWhileDatabaseAway } from './until-back.ts'

export class CallHold {
  readonly #app: Pick<CallSettlementApp, 'db'>
  readonly #call: RunningCall
  readonly #failed: () => void
  /** The amount of the hold as it is committed; while it shrinks, the smaller amount to come. */
  #amount: bigint
  /** Resolves after the last change of the hold: they run one after the other. */
  #changes: Promise<unknown> = Promise.resolve()
  #isClosed = false
  /** The database was away for so long that the amount of the hold is not known. */
  #isLost = false

  /** @param failed called when the call is to end, since its hold cannot be changed any more */
  constructor(app: Pick<CallSettlementApp, 'db'>, call: RunningCall, failed: () => void) {
    this.#app = app
    this.#call = call
    this.#failed = failed
    this.#amount = call.held
  }

  /** In micro-credits. */
  get amount(): bigint {
    return this.#amount
  }
  /** Resolves after the last change; never rejects. */
  get changes(): Promise<unknown> {
    return this.#changes
  }
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Call when the call ends: from now on a change throws `CallOver`. */
  close(): void {
    this.#isClosed = true
  }

  /** Runs changes of the hold one after the other. */
  inOrder<Result>(change: () => Promise<Result>): Promise<Result> {
    const mine = this.#changes.then(change)
    this.#changes = mine.catch(() => {})
    return mine
  }

  /** Changes the hold to this amount, in one transaction with the step that needs it. Throws 402, SERVICE_UNAVAILABLE and `CallOver`. */
  async resize(to: bigint, step?: BegunStep): Promise<void> {
    if (this.#isClosed) throw new CallOver()
    const { accountId, receiptId } = this.#call
    const from = this.#amount
    if (from === to && !step) return
    // No step may take the returned credits meanwhile.
    if (to < from) this.#amount = to
    await this.untilBack(() =>
      this.#app.db.tx(async (tx) => {
        if (step && !(await writeStep(tx, this.#call, step))) throw new CallOver()
        if (!(await resizeHoldInTx(tx, { accountId, receiptId, from, to }))) throw new CallOver()
      }),
    )
    this.#amount = to
  }

  /** Writes a step for which the hold has room. */
  async write(step: BegunStep): Promise<void> {
    const isWritten = await this.untilBack(() => writeStep(this.#app.db.kysely, this.#call, step))
    if (!isWritten) throw new CallOver()
  }

  /** Repeats the work while the database is away. Throws SERVICE_UNAVAILABLE after twenty seconds: the call is to end then. */
  async untilBack<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isLost) fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2_000 })
    try {
      return await retryWhileDatabaseAway(work, maxAwayMs)
    } catch (error) {
      if (error instanceof CallOver) this.#failed()
      if (!isDatabaseAway(error)) throw error
      this.#isLost = true
      this.#failed()
      return fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2_000 })
    }
  }
}
