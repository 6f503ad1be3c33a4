import type { HoldOp } from './commit-ops.ts'

/**
 * The server may execute a statement after it lost its client, until its own timeout (`platform/db`, 30 s); after this time the statement has ended.
 */
const lastArrivalMs = 40_000

/**
 * Holds whose first statement was lost and whose second was refused. If the first one is executed later, nobody knows of its hold; so each is undone
 * once the first statement can no longer be executed.
 */
export class LateUndos {
  readonly #waiting = new Map<string, { op: HoldOp; timer: NodeJS.Timeout }>()
  readonly #undo: (op: HoldOp) => void

  constructor(undo: (op: HoldOp) => void) {
    this.#undo = undo
  }

  add(op: HoldOp): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(op.receipt_id)
      this.#undo(op)
    }, lastArrivalMs)
    this.#waiting.set(op.receipt_id, { op, timer: timer.unref() })
  }

  /** Cancels the undoing of a hold: a caller that retries with a smaller amount under the same id may get it. Returns true if the hold was listed. */
  cancel(holdId: string): boolean {
    clearTimeout(this.#waiting.get(holdId)?.timer)
    return this.#waiting.delete(holdId)
  }

  /** Undoes all listed holds at once. */
  flush(): void {
    for (const [id, { op }] of this.#waiting) if (this.cancel(id)) this.#undo(op)
  }
}
