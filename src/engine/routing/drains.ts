/** Of one provider in one process, where its entry names no `max_drains`. */
const standardMost = 100

/**
 * Answers that are read on for callers who left (`on_disconnect: drain`). Each keeps a connection and an upstream at work that
 * nobody waits for, and leaving is cheap, so there are only so many at a time.
 */
export class Drains {
  readonly #running = new Map<string, number>()

  /** Takes a place until it is disposed of; undefined when all are taken. */
  begin(provider: string, most = standardMost): Disposable | undefined {
    const running = this.#running.get(provider) ?? 0
    if (running >= most) return undefined
    this.#running.set(provider, running + 1)
    return { [Symbol.dispose]: () => void this.#running.set(provider, this.#running.get(provider)! - 1) }
  }

  *counts(): Generator<readonly [{ provider: string }, number]> {
    for (const [provider, running] of this.#running) yield [{ provider }, running]
  }
}
