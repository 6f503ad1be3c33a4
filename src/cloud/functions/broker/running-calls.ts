/** The calls of one cloud's functions that may send requests: how deep they are, how many they sent, and how long they waited. */

/** One call of a function, from its beginning until its code can send no more requests. */
export interface EgressCall {
  /** How long at least one of its requests has been open, in milliseconds: time in which the function waited for others. */
  waitedMs(): number
  /** How many requests are open now. */
  readonly open: number
  /** Ends the call; code that still runs after its answer (`waitUntil`) may send for a while. */
  end(): void
}

/** The most ended calls that are remembered: requests that they send after their answer still count for them. */
const maxEnded = 256

export class RunningCall implements EgressCall {
  readonly #onEnd: () => void
  #depth: number
  #open = 0
  #sent = 0
  #waitedMs = 0
  #sinceMs = 0

  constructor(depth: number, onEnd: () => void) {
    this.#depth = depth
    this.#onEnd = onEnd
  }

  get depth(): number {
    return this.#depth
  }

  deepen(depth: number): void {
    this.#depth = Math.max(this.#depth, depth)
  }

  get open(): number {
    return this.#open
  }

  waitedMs(): number {
    return this.#waitedMs + (this.#open > 0 ? performance.now() - this.#sinceMs : 0)
  }

  /** Counts one more request. */
  count(): number {
    return ++this.#sent
  }

  /** Begins a request, which is under way until the returned function is called; further calls of that function do nothing. */
  begin(): () => void {
    if (this.#open++ === 0) this.#sinceMs = performance.now()
    let ended = false
    return () => {
      if (ended) return
      ended = true
      if (--this.#open === 0) this.#waitedMs += performance.now() - this.#sinceMs
    }
  }

  end(): void {
    this.#onEnd()
  }
}

export class RunningCalls {
  readonly #running = new Map<string, RunningCall>()
  readonly #ended = new Map<string, RunningCall>()
  /** The call of requests that name none: as deep as the deepest one that could have sent them. */
  #nameless = new RunningCall(0, () => {})

  begin(id: string, depth: number): EgressCall {
    const call = new RunningCall(depth, () => this.#end(id, call))
    this.#running.set(id, call)
    return call
  }

  /**
   * The call that a request names. Code that hides its call sends as the deepest call that is known, and all such requests share one count until no
   * call runs.
   */
  of(id: string | undefined): RunningCall {
    const named = id === undefined ? undefined : (this.#running.get(id) ?? this.#ended.get(id))
    if (named) return named
    const depths = [...this.#running.values(), ...this.#ended.values()].map(({ depth }) => depth)
    this.#nameless.deepen(Math.max(0, ...depths))
    return this.#nameless
  }

  #end(id: string, call: RunningCall): void {
    if (this.#running.get(id) !== call) return
    this.#running.delete(id)
    this.#ended.set(id, call)
    if (this.#ended.size > maxEnded) this.#ended.delete(this.#ended.keys().next().value!)
    if (this.#running.size === 0) this.#nameless = new RunningCall(0, () => {})
  }
}
