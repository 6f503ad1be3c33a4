/**
 * Group commit: operations that wait while one commit is running are sent together in the next, in one statement (`ledger.commit`). Operations of all
 * accounts share a lane that waits for no lock: those of an account that another transaction has locked move to a lane that waits, so that one busy
 * account delays no other.
 */
import { steadyClock } from '#platform/clock'
import { type HoldOp, type OpResult, type SettleOp, undoOperation } from './commit-ops.ts'
import { type CommitterOptions, Lane } from './lane.ts'
import { LateUndos } from './late-undos.ts'
import { databaseAwayFailure } from './waiting-holds.ts'

/** The number of lanes that wait; each may occupy a connection for as long as an account is locked. */
const waitingLanes = 4
const drainMs = 5000

export class Committer {
  readonly #main: Lane
  readonly #waiting: readonly Lane[]
  /** The lane of each account that was found locked, until that lane is empty. */
  readonly #lockedLanes = new Map<string, Lane>()
  readonly #lateUndos = new LateUndos((op) => this.#undo(op))
  #refusesHolds = false

  constructor(options: CommitterOptions) {
    const undo = (op: HoldOp): void => this.#undo(op)
    const lane = { ...options, undo, undoLate: (op: HoldOp) => this.#lateUndos.add(op) }
    this.#waiting = Array.from(
      { length: waitingLanes },
      () => new Lane({ ...lane, mayWait: true, emptied: (it) => this.#emptied(it) }),
    )
    this.#main = new Lane({
      ...lane,
      mayWait: false,
      moveHold: (hold) => this.#waitingLaneOf(hold.op.account_id).addHold(hold),
      moveSettle: (settle) => this.#waitingLaneOf(settle.op.account_id).addSettle(settle),
    })
    options.metrics?.ledgerQueue.setSource(() => [
      [{ kind: 'hold' }, this.#sum((lane) => lane.waitingHolds)],
      [{ kind: 'settle' }, this.#sum((lane) => lane.waitingSettles)],
    ])
  }

  /**
   * Sends a hold. Rejects with SERVICE_UNAVAILABLE if the database does not take it in time; the hold is then undone as soon as the database answers.
   */
  hold(op: HoldOp): Promise<OpResult> {
    if (this.#refusesHolds) return Promise.reject(databaseAwayFailure())
    return new Promise((resolve, reject) => {
      this.#laneOf(op.account_id).hold(op, this.#lateUndos.cancel(op.receipt_id), resolve, reject)
    })
  }

  /** Sends a settlement. Never rejects: it is sent again until the database has stored it. An `urgent` one is not delayed for a batch. */
  settle(op: SettleOp, urgent: boolean): Promise<OpResult> {
    return new Promise((resolve) => this.#laneOf(op.account_id).settle(op, urgent, resolve))
  }

  /** Accepts no more holds. Resolves when the pending ones are decided, or after `drainMs`; settlements are accepted until the close. */
  refuseHolds(): Promise<void> {
    this.#refusesHolds = true
    return this.#inTurn((lane, maxMs) => lane.drain(maxMs))
  }

  /** Resolves when everything accepted so far is durable, or after `drainMs`; nothing is sent afterwards. */
  async close(): Promise<void> {
    this.#lateUndos.flush()
    await this.#inTurn((lane, maxMs) => lane.close(maxMs))
  }

  /** Ends the main lane first and the other lanes after it, because the main lane may still move operations to them. */
  async #inTurn(end: (lane: Lane, maxMs: number) => Promise<void>): Promise<void> {
    const endMs = steadyClock.nowMs() + drainMs
    await end(this.#main, drainMs)
    await Promise.all(this.#waiting.map((lane) => end(lane, Math.max(0, endMs - steadyClock.nowMs()))))
  }

  /** Undoes a hold whose caller was answered 503: nothing was sent upstream for it, so the full amount is returned. */
  #undo(op: HoldOp): void {
    this.#laneOf(op.account_id).settle(undoOperation(op), true, () => {})
  }

  #laneOf(accountId: string): Lane {
    return (this.#lockedLanes.size > 0 && this.#lockedLanes.get(accountId)) || this.#main
  }

  #waitingLaneOf(accountId: string): Lane {
    let lane = this.#lockedLanes.get(accountId)
    if (!lane) {
      const accounts = (of: Lane): number =>
        [...this.#lockedLanes.values()].filter((one) => one === of).length
      lane = this.#waiting.reduce((least, one) => (accounts(one) < accounts(least) ? one : least))
      this.#lockedLanes.set(accountId, lane)
    }
    return lane
  }

  #emptied(lane: Lane): void {
    for (const [accountId, of] of this.#lockedLanes) if (of === lane) this.#lockedLanes.delete(accountId)
  }

  #sum(of: (lane: Lane) => number): number {
    return this.#waiting.reduce((sum, lane) => sum + of(lane), of(this.#main))
  }
}
