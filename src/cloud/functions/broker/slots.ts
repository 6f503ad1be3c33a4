/** How many requests of one cloud are under way at once; the others wait in the order in which they came. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves with the function that gives the slot back. Rejects with the signal's reason, and then takes no slot. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    let given = false
    return () => {
      if (given) return
      given = true
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>()
    const leave = (): void => {
      const at = this.#waiting.indexOf(turn.resolve)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      turn.reject(signal.reason)
    }
    this.#waiting.push(turn.resolve)
    signal.addEventListener('abort', leave, { once: true })
    try {
      await turn.promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}
