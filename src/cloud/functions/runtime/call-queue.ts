import { fail } from '#platform/errors'
import './errors.ts'

/** The calls of one cloud: `atOnce` run at a time, and up to `waiting` more wait in the order in which they came. */
export class CallQueue {
  readonly #atOnce: number
  readonly #maxWaiting: number
  readonly #queue: ((place: Disposable) => void)[] = []
  #running = 0

  constructor({ atOnce, waiting }: { atOnce: number; waiting: number }) {
    this.#atOnce = atOnce
    this.#maxWaiting = waiting
  }

  /** True where no call runs or waits. */
  get isEmpty(): boolean {
    return this.#running === 0 && this.#queue.length === 0
  }

  /** Takes a place, which is given back by disposing it. Throws FUNCTION_BUSY where too many wait, and the signal's reason. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#running < this.#atOnce) return this.#place()
    if (this.#queue.length >= this.#maxWaiting)
      fail('FUNCTION_BUSY', { atOnce: this.#atOnce, waiting: this.#maxWaiting })
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const leave = (): void => {
      const at = this.#queue.indexOf(resolve)
      if (at >= 0) this.#queue.splice(at, 1)
      reject(signal.reason)
    }
    this.#queue.push(resolve)
    signal.addEventListener('abort', leave, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #place(): Disposable {
    this.#running++
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        this.#running--
        // The place is taken at once: a call that comes meanwhile waits behind.
        this.#queue.shift()?.(this.#place())
      },
    }
  }
}
