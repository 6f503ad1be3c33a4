export interface Places {
  working: number
  waiting: number
}

/** A caller in a line; called with whether it got a place. */
type Waiting = (hasPlace: boolean) => void

/**
 * Lets so many work at a time and so many wait for them. Accounts take turns, each in the order of its own. None holds all places,
 * where there is more than one, so that the first of another waits for nobody; and where no more may wait, the newest of the longest
 * line makes way for an account that has fewer in its own.
 */
export class FairQueue {
  readonly #maxWaiting: number
  readonly #maxOfOne: number
  /** Places by account. */
  readonly #held = new Map<string, number>()
  /** By account, whose turn is next first; none is empty. */
  readonly #lines = new Map<string, Waiting[]>()
  #free: number
  #waiting = 0

  constructor({ working, waiting }: Places) {
    this.#free = working
    this.#maxWaiting = waiting
    this.#maxOfOne = Math.max(1, working - 1)
  }

  /**
   * A place for the account, given back by disposing it; undefined where too many wait, at once or because somebody who waits for less
   * came later. Throws the signal's reason.
   */
  async enter(accountId: string, signal: AbortSignal): Promise<Disposable | undefined> {
    signal.throwIfAborted()
    if (this.#mayTake(accountId)) return this.#take(accountId)
    if (this.#maxWaiting === 0 || !this.#makeRoom(accountId)) return undefined
    return this.#wait(accountId, signal)
  }

  #wait(accountId: string, signal: AbortSignal): Promise<Disposable | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Disposable | undefined>()
    // The place is taken in the moment it is free: whoever comes next must not find it so.
    const waiting: Waiting = (hasPlace) => resolve(hasPlace ? this.#take(accountId) : undefined)
    const onAbort = () => {
      this.#leave(accountId, waiting)
      reject(signal.reason)
    }
    this.#join(accountId, waiting)
    signal.addEventListener('abort', onAbort, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', onAbort))
  }

  #heldBy(accountId: string): number {
    return this.#held.get(accountId) ?? 0
  }

  #mayTake(accountId: string): boolean {
    return this.#free > 0 && this.#heldBy(accountId) < this.#maxOfOne
  }

  #take(accountId: string): Disposable {
    this.#free -= 1
    this.#held.set(accountId, this.#heldBy(accountId) + 1)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        this.#giveBack(accountId)
      },
    }
  }

  #giveBack(accountId: string): void {
    this.#free += 1
    const left = this.#heldBy(accountId) - 1
    if (left === 0) this.#held.delete(accountId)
    else this.#held.set(accountId, left)
    this.#goLast(accountId)
    this.#callNext()
  }

  /** The account with the fewest places is next; among equals, the one that has waited longest since its last place. */
  #callNext(): void {
    const [accountId] = [...this.#lines.keys()]
      .filter((one) => this.#mayTake(one))
      .toSorted((one, other) => this.#heldBy(one) - this.#heldBy(other))
    if (accountId === undefined) return
    const [next] = this.#lines.get(accountId)!
    this.#leave(accountId, next!)
    this.#goLast(accountId)
    next!(true)
  }

  #goLast(accountId: string): void {
    const line = this.#lines.get(accountId)
    if (line && this.#lines.delete(accountId)) this.#lines.set(accountId, line)
  }

  #join(accountId: string, waiting: Waiting): void {
    const line = this.#lines.get(accountId)
    if (line) line.push(waiting)
    else this.#lines.set(accountId, [waiting])
    this.#waiting += 1
  }

  #leave(accountId: string, waiting: Waiting): void {
    const line = this.#lines.get(accountId)
    const at = line?.indexOf(waiting) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    this.#waiting -= 1
    if (line.length === 0) this.#lines.delete(accountId)
  }

  /** Whether there is room in the line, which may be made at the cost of the longest. */
  #makeRoom(accountId: string): boolean {
    if (this.#waiting < this.#maxWaiting) return true
    const own = this.#lines.get(accountId)?.length ?? 0
    const [longest, line] = [...this.#lines].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    )
    if (line.length <= own + 1) return false
    const newest = line.at(-1)!
    this.#leave(longest, newest)
    newest(false)
    return true
  }
}
