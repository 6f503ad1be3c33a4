/**
 * Splits long computations into slices, so that none blocks the event loop. Each turn of the loop runs one slice of all computations
 * together: with ten of them other requests wait for one slice, not for ten.
 */

/** The duration of one slice, in milliseconds, to which work between two checks of the clock, and garbage collection, are added. */
const sliceMs = 8

const waiting: (() => void)[] = []

/** Resolves in a turn of the event loop that no other slice has. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(runNextWaiting)
  })
}

function runNextWaiting(): void {
  waiting.shift()!()
  if (waiting.length > 0) setImmediate(runNextWaiting)
}

/** The time slice of one computation, which checks it as it goes: `if (slice.isOver()) await slice.next()`. */
export class Slice {
  #endMs = performance.now() + sliceMs

  isOver(): boolean {
    return performance.now() >= this.#endMs
  }

  /** Yields to the event loop and starts the next slice. */
  async next(): Promise<void> {
    await nextTurn()
    this.#endMs = performance.now() + sliceMs
  }
}
