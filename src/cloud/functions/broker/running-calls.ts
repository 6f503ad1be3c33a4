/** The calls of one cloud's functions that may send requests: how deep they are, how many they sent, and how long they waited. */

/** One call of a function, from its beginning until its code can send no more requests. */
export interface EgressCall {
  /** How long at least one of its requests has been open, in milliseconds: time in which the function waited for others. */
  waitedMs(): number
  /** How many requests are open now. */
  readonly open: number
  /** Whether the call has work that goes on after its answer (`waitUntil`). */
  readonly hasBackground: boolean
  /** Sets who hears of such work: of the first that begins, also after the end of the call, and of the last that has ended. */
  onBackground(listener: BackgroundListener): void
  /** Ends such work and lets no more of it begin, since the time of the call is over. */
  stop(): void
  /** Ends the call. What it sends later counts for it all the same. */
  end(): void
}

export interface BackgroundListener {
  begun(): void
  ended(): void
}

/** The most ended calls that are remembered: requests that they send after their answer still count for them. */
const maxEnded = 256
/** The most requests that keep one call going. The wrapper of functions has one at a time, and another one while the first is being closed. */
const maxBackground = 4

export class RunningCall implements EgressCall {
  readonly #onEnd: () => void
  readonly #background = new Set<() => void>()
  #listener: BackgroundListener | undefined
  #isStopped = false
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

  get hasBackground(): boolean {
    return this.#background.size > 0
  }

  onBackground(listener: BackgroundListener): void {
    this.#listener = listener
  }

  /**
   * Begins work that goes on after the answer, which lasts until the returned function is called; `stop` ends it from here. Undefined where no more
   * may begin.
   */
  beginBackground(stop: () => void): (() => void) | undefined {
    if (this.#isStopped || this.#background.size >= maxBackground) return undefined
    this.#background.add(stop)
    if (this.#background.size === 1) this.#listener?.begun()
    return () => {
      if (this.#background.delete(stop) && this.#background.size === 0) this.#listener?.ended()
    }
  }

  stop(): void {
    this.#isStopped = true
    if (this.#background.size === 0) return
    for (const stop of this.#background) stop()
    // Whether or not the function lets go of its connection.
    this.#background.clear()
    this.#listener?.ended()
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

  /** The call of this id, which may have ended a while ago. */
  find(id: string | undefined): RunningCall | undefined {
    return id === undefined ? undefined : (this.#running.get(id) ?? this.#ended.get(id))
  }

  /**
   * The call that a request names. Code that hides its call sends as the deepest call that is known, and all such requests share one count until no
   * call runs.
   */
  of(id: string | undefined): RunningCall {
    const named = this.find(id)
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
