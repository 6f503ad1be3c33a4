/** The most drains per provider and process, when the provider's entry sets no `max_drains`. */
const defaultMaxDrains = 100

/**
 * Answers that are read to their end after the caller disconnected (`on_disconnect: drain`). Each occupies a connection and an upstream
 * although disconnecting costs the caller nothing, so their number is bounded.
 */
export class Drains {
  readonly #running = new Map<string, number>()

  /** Takes a slot until disposed; undefined when all are taken. */
  begin(provider: string, maxDrains = defaultMaxDrains): Disposable | undefined {
    const running = this.#running.get(provider) ?? 0
    if (running >= maxDrains) return undefined
    this.#running.set(provider, running + 1)
    return { [Symbol.dispose]: () => void this.#running.set(provider, this.#running.get(provider)! - 1) }
  }

  *counts(): Generator<readonly [{ provider: string }, number]> {
    for (const [provider, running] of this.#running) yield [{ provider }, running]
  }
}
