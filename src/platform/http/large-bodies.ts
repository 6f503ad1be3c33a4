/** From this size on a body, what is read from it and what it is made into are felt in the memory of the process. */
const largeBytes = 32 * 1024 * 1024
/** A sender may be slow: the next one waits no longer than this, unless all of the body before it has arrived meanwhile. */
const maxWaitMs = 10_000

export interface BodyTurn extends Disposable {
  /** All of it has arrived: from here on its sender holds nobody up. */
  arrived(): void
}

/**
 * Large bodies are read and parsed one after another: of two of a hundred megabytes that come at once, one has its bytes and its texts in memory,
 * and the other waits with its sender.
 */
export class LargeBodies {
  #last: { arrived: Promise<void>; over: Promise<void> } = {
    arrived: Promise.resolve(),
    over: Promise.resolve(),
  }

  /** Resolves when a body of this length may be read; its turn is over when that is disposed of. A small one waits for nobody. */
  async turn(bytes: number): Promise<BodyTurn> {
    if (!(bytes >= largeBytes)) return { arrived: () => undefined, [Symbol.dispose]: () => undefined }
    const before = this.#last
    const arrived = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    this.#last = { arrived: arrived.promise, over: over.promise }
    const waited = Promise.withResolvers<void>()
    const timer = setTimeout(waited.resolve, maxWaitMs)
    void before.arrived.then(() => clearTimeout(timer))
    await Promise.race([before.over, waited.promise])
    clearTimeout(timer)
    return {
      arrived: arrived.resolve,
      [Symbol.dispose]: () => {
        arrived.resolve()
        over.resolve()
      },
    }
  }
}
