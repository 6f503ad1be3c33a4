export interface QueueLimits {
  working: number
  waiting: number
}

/** A caller in a line; the function is called with whether the caller got a place. */
type QueuedCaller = (hasPlace: boolean) => void

/**
 * Lets a limited number of callers work at a time and a limited number wait. Accounts take turns, and the callers of an account keep their order. If
 * there is more than one place, no account holds all of them, so that the first caller of another account need not wait. When the lines are full, the
 * newest caller of the longest line makes way for an account with a shorter line.
 */
export class FairQueue {
  readonly #maxWaiting: number
  readonly #maxOfOne: number
  /** The number of places that each account holds. */
  readonly #held = new Map<string, number>()
  /** The waiting callers by account, in the order of the accounts' turns; no line is empty. */
  readonly #lines = new Map<string, QueuedCaller[]>()
  #free: number
  #waiting = 0

  constructor({ working, waiting }: QueueLimits) {
    this.#free = working
    this.#maxWaiting = waiting
    this.#maxOfOne = Math.max(1, working - 1)
  }

  /**
   * Takes a place for the account; disposing gives it back. Undefined if too many wait: at once, or later because a caller of an account with a
   * shorter line came. Throws the signal's reason.
   */
  async enter(accountId: string, signal: AbortSignal): Promise<Disposable | undefined> {
    signal.throwIfAborted()
    if (this.#mayTake(accountId)) return this.#take(accountId)
    if (this.#maxWaiting === 0 || !this.#makeRoom(accountId)) return undefined
    return this.#wait(accountId, signal)
  }

  #wait(accountId: string, signal: AbortSignal): Promise<Disposable | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Disposable | undefined>()
    // The place is taken at the moment it becomes free, so that no new caller finds it free.
    const waiting: QueuedCaller = (hasPlace) => resolve(hasPlace ? this.#take(accountId) : undefined)
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

  #join(accountId: string, waiting: QueuedCaller): void {
    const line = this.#lines.get(accountId)
    if (line) line.push(waiting)
    else this.#lines.set(accountId, [waiting])
    this.#waiting += 1
  }

  #leave(accountId: string, waiting: QueuedCaller): void {
    const line = this.#lines.get(accountId)
    const at = line?.indexOf(waiting) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    this.#waiting -= 1
    if (line.length === 0) this.#lines.delete(accountId)
  }

  /** Whether the account may wait. If all lines together are full, the newest caller of the longest line may have to leave for it. */
  #makeRoom(accountId: string): boolean {
    if (this.#waiting < this.#maxWaiting) return true
    const own = this.#lines.get(accountId)?.length ?? 0
    const [crowdedAccountId, line] = [...this.#lines].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    )
    if (line.length <= own + 1) return false
    const newest = line.at(-1)!
    this.#leave(crowdedAccountId, newest)
    newest(false)
    return true
  }
}
