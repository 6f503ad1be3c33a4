/** Shares few connections between many owners: owners take turns, and none gets all connections. A request that would wait too long is refused. */
import type { Failure } from '#platform/errors'

interface WaitingRequest {
  start: () => void
  refuse: (error: unknown) => void
  timer: NodeJS.Timeout
}

interface OwnerQueue {
  running: number
  waiting: WaitingRequest[]
}

export interface TurnsOptions {
  /** The number of connections. */
  places: number
  /** The maximum connections of one owner at once. */
  perOwner: number
  waitingPerOwner: number
  waiting: number
  maxWaitMs: number
  /** Makes the failure that is thrown if too many requests wait, or one waits too long. */
  busy: () => Failure
}

export class Turns {
  readonly #options: TurnsOptions
  /** The waiting requests by owner, in the order of the owners' turns. */
  readonly #lines = new Map<string, OwnerQueue>()
  #running = 0
  #waiting = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Runs `work` when it is this owner's turn. Throws `busy`. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lineOf(owner)
    const mustWait = this.#running >= this.#options.places || !this.#hasPlace(line) || line.waiting.length > 0
    if (mustWait) await this.#wait(line)
    else this.#begin(line)
    try {
      return await work()
    } finally {
      line.running--
      this.#running--
      this.#next()
      if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(owner)
    }
  }

  #lineOf(owner: string): OwnerQueue {
    let line = this.#lines.get(owner)
    if (!line) {
      line = { running: 0, waiting: [] }
      this.#lines.set(owner, line)
    }
    return line
  }

  #hasPlace(line: OwnerQueue): boolean {
    return line.running < this.#options.perOwner
  }

  #begin(line: OwnerQueue): void {
    line.running++
    this.#running++
  }

  #wait(line: OwnerQueue): Promise<void> {
    const { waiting, waitingPerOwner, maxWaitMs, busy } = this.#options
    if (line.waiting.length >= waitingPerOwner || this.#waiting >= waiting) throw busy()
    return new Promise((start, refuse) => {
      const one: WaitingRequest = {
        start,
        refuse,
        timer: setTimeout(() => this.#giveUp(line, one), maxWaitMs),
      }
      line.waiting.push(one)
      this.#waiting++
    })
  }

  #giveUp(line: OwnerQueue, one: WaitingRequest): void {
    line.waiting.splice(line.waiting.indexOf(one), 1)
    this.#waiting--
    one.refuse(this.#options.busy())
  }

  #next(): void {
    for (const [owner, line] of this.#lines) {
      if (this.#running >= this.#options.places || this.#waiting === 0) return
      if (line.waiting.length === 0 || !this.#hasPlace(line)) continue
      const one = line.waiting.shift()!
      clearTimeout(one.timer)
      this.#waiting--
      this.#begin(line)
      // The owner goes to the end, so that the others have their turns first.
      this.#lines.delete(owner)
      this.#lines.set(owner, line)
      one.start()
    }
  }
}
