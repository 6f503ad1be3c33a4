import type { HoldOp } from './commit-ops.ts'

/** A server that lost its client works on until its own limit of a statement (`platform/db`, 30 s); by then it has ended. */
const lastArrivalMs = 40_000

/**
 * Holds whose first sending was lost and whose second was refused: should the first one be carried out after it, nobody would know of
 * its hold. Each is undone when nothing of it can arrive any more.
 */
export class LateUndos {
  readonly #waiting = new Map<string, { op: HoldOp; timer: NodeJS.Timeout }>()
  readonly #undo: (op: HoldOp) => void

  constructor(undo: (op: HoldOp) => void) {
    this.#undo = undo
  }

  add(op: HoldOp): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(op.hold_id)
      this.#undo(op)
    }, lastArrivalMs)
    this.#waiting.set(op.hold_id, { op, timer: timer.unref() })
  }

  /** A caller that asks for less under the same id may now get it, and it is no longer to be undone. True when it was. */
  cancel(holdId: string): boolean {
    clearTimeout(this.#waiting.get(holdId)?.timer)
    return this.#waiting.delete(holdId)
  }

  /** Undoes all of them at once. */
  flush(): void {
    for (const [id, { op }] of this.#waiting) if (this.cancel(id)) this.#undo(op)
  }
}
