/** From this size on a body, what is read from it and what it is made into are felt in the memory of the process. */
const largeBytes = 32 * 1024 * 1024
/** A sender may be slow: the next one waits no longer than this. */
const longestWaitMs = 10_000

/**
 * Large bodies are read and parsed one after another: of two of a hundred megabytes that come at once, one has its bytes and its texts in memory,
 * and the other waits with its sender.
 */
export class LargeBodies {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when a body of this length may be read; its turn is over when that is disposed of. A small one waits for nobody. */
  async turn(bytes: number): Promise<Disposable> {
    if (!(bytes >= largeBytes)) return { [Symbol.dispose]: () => undefined }
    const before = this.#last
    const { promise, resolve: end } = Promise.withResolvers<void>()
    this.#last = promise
    const waited = Promise.withResolvers<void>()
    const timer = setTimeout(waited.resolve, longestWaitMs)
    await Promise.race([before, waited.promise])
    clearTimeout(timer)
    return { [Symbol.dispose]: end }
  }
}
