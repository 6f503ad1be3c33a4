export interface Queue {
  /**
   * A place for the account, given back by disposing it; undefined where too many wait, at once or because somebody who waits for less
   * came later. Throws the signal's reason.
   */
  enter(accountId: string, signal: AbortSignal): Promise<Disposable | undefined>
}

export interface Places {
  working: number
  waiting: number
}

/** A waiting caller; called with whether it got a place. */
type Waiting = (hasPlace: boolean) => void

/**
 * Lets so many work at a time and so many wait for them. Accounts take turns, each in the order of its own. None holds all places,
 * where there is more than one, so that the first of another waits for nobody; and where no more may wait, the newest of the longest
 * line makes way for an account that has fewer in its own.
 */
export function openQueue({ working, waiting }: Places): Queue {
  const maxOfOne = Math.max(1, working - 1)
  const held = new Map<string, number>()
  /** By account, whose turn is next first; none is empty. */
  const lines = new Map<string, Waiting[]>()
  let free = working
  let waits = 0

  const has = (accountId: string): number => held.get(accountId) ?? 0
  const mayTake = (accountId: string): boolean => free > 0 && has(accountId) < maxOfOne

  function place(accountId: string): Disposable {
    free -= 1
    held.set(accountId, has(accountId) + 1)
    let isHeld = true
    return {
      [Symbol.dispose]() {
        if (!isHeld) return
        isHeld = false
        free += 1
        if (has(accountId) === 1) held.delete(accountId)
        else held.set(accountId, has(accountId) - 1)
        goLast(accountId)
        callNext()
      },
    }
  }

  /** The account with the fewest places is next; among equals, the one that has waited longest since its last place. */
  function callNext(): void {
    const [accountId] = [...lines.keys()].filter(mayTake).toSorted((one, other) => has(one) - has(other))
    if (accountId === undefined) return
    const [next] = lines.get(accountId)!
    leave(accountId, next!)
    goLast(accountId)
    next!(true)
  }

  function goLast(accountId: string): void {
    const line = lines.get(accountId)
    if (line && lines.delete(accountId)) lines.set(accountId, line)
  }

  function leave(accountId: string, one: Waiting): void {
    const line = lines.get(accountId)
    const at = line?.indexOf(one) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    waits -= 1
    if (line.length === 0) lines.delete(accountId)
  }

  /** Whether there is room in the line, which may be made at the cost of the longest. */
  function makeRoom(accountId: string): boolean {
    if (waits < waiting) return true
    const own = lines.get(accountId)?.length ?? 0
    const [longest, line] = [...lines].reduce((one, other) => (other[1].length > one[1].length ? other : one))
    if (line.length <= own + 1) return false
    const newest = line.at(-1)!
    leave(longest, newest)
    newest(false)
    return true
  }

  return {
    async enter(accountId, signal) {
      signal.throwIfAborted()
      if (mayTake(accountId)) return place(accountId)
      if (waiting === 0 || !makeRoom(accountId)) return undefined
      const { promise, resolve, reject } = Promise.withResolvers<Disposable | undefined>()
      // The place is taken in the moment it is free: whoever comes next must not find it so.
      const told: Waiting = (hasPlace) => resolve(hasPlace ? place(accountId) : undefined)
      const onAbort = () => {
        leave(accountId, told)
        reject(signal.reason)
      }
      const line = lines.get(accountId)
      if (line) line.push(told)
      else lines.set(accountId, [told])
      waits += 1
      signal.addEventListener('abort', onAbort, { once: true })
      return promise.finally(() => signal.removeEventListener('abort', onAbort))
    },
  }
}
