import type { HoldOp } from './commit-ops.ts'

/** The server may execute a statement after losing its client, until its own timeout (`platform/db`, 30 s); by then it has ended. */
const lastArrivalMs = 40_000

/**
 * Holds whose first statement was lost and whose second was refused. If the first one is executed after that, nobody knows of its hold; so
 * each is undone once the first statement can no longer be executed.
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

  /**
   * A caller that retries with a smaller amount under the same id may get it; then it must not be undone. Returns true if it was listed.
   */
  cancel(holdId: string): boolean {
    clearTimeout(this.#waiting.get(holdId)?.timer)
    return this.#waiting.delete(holdId)
  }

  /** Undoes all of them at once. */
  flush(): void {
    for (const [id, { op }] of this.#waiting) if (this.cancel(id)) this.#undo(op)
  }
}
