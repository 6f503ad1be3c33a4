/** From this size on a body, with the values that are parsed and built from it, is noticeable in the memory of the process. */
const largeBytes = 32 * 1024 * 1024
/** How long a body waits for the one before it, whose sender may be slow; it waits longer only if that one has arrived completely. */
const maxWaitMs = 10_000

export interface BodyTurn extends Disposable {
  /** Called when the whole body has arrived: from now on its sender delays nobody. */
  arrived(): void
}

/**
 * Large bodies are read and parsed one after another: when two of a hundred megabytes arrive at once, one has its bytes and texts in memory, and the
 * other waits at its sender.
 */
export class LargeBodies {
  #last: { arrived: Promise<void>; over: Promise<void> } = {
    arrived: Promise.resolve(),
    over: Promise.resolve(),
  }

  /** Resolves when a body of this length may be read; disposing the result ends its turn. A small body never waits. */
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
