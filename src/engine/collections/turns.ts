/** Who of many clouds uses few connections next: each cloud in its turn, never all of them by one. Who would wait too long is refused. */
import { Failure, fail } from '#platform/errors'

interface Waiting {
  start: () => void
  refuse: (error: unknown) => void
  timer: NodeJS.Timeout
}

interface Line {
  running: number
  waiting: Waiting[]
}

export interface TurnsOptions {
  /** Connections. */
  places: number
  /** Of one cloud at once. */
  perCloud: number
  waitingPerCloud: number
  waiting: number
  longestWaitMs: number
}

const retryAfterMs = 1_000

export class Turns {
  readonly #options: TurnsOptions
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>()
  #running = 0
  #waiting = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Runs `work` when it is this cloud's turn. Throws ROWS_BUSY. */
  async run<Result>(cloudId: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lineOf(cloudId)
    const mustWait = this.#running >= this.#options.places || !this.#hasPlace(line) || line.waiting.length > 0
    if (mustWait) await this.#wait(line)
    else this.#begin(line)
    try {
      return await work()
    } finally {
      line.running--
      this.#running--
      this.#next()
      if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(cloudId)
    }
  }

  #lineOf(cloudId: string): Line {
    let line = this.#lines.get(cloudId)
    if (!line) {
      line = { running: 0, waiting: [] }
      this.#lines.set(cloudId, line)
    }
    return line
  }

  #hasPlace(line: Line): boolean {
    return line.running < this.#options.perCloud
  }

  #begin(line: Line): void {
    line.running++
    this.#running++
  }

  #wait(line: Line): Promise<void> {
    const { waiting, waitingPerCloud, longestWaitMs } = this.#options
    if (line.waiting.length >= waitingPerCloud || this.#waiting >= waiting)
      fail('ROWS_BUSY', {}, { retryAfterMs })
    return new Promise((start, refuse) => {
      const one: Waiting = {
        start,
        refuse,
        timer: setTimeout(() => this.#giveUp(line, one), longestWaitMs),
      }
      line.waiting.push(one)
      this.#waiting++
    })
  }

  #giveUp(line: Line, one: Waiting): void {
    line.waiting.splice(line.waiting.indexOf(one), 1)
    this.#waiting--
    one.refuse(new Failure('ROWS_BUSY', {}, { retryAfterMs }))
  }

  #next(): void {
    for (const [cloudId, line] of this.#lines) {
      if (this.#running >= this.#options.places || this.#waiting === 0) return
      if (line.waiting.length === 0 || !this.#hasPlace(line)) continue
      const one = line.waiting.shift()!
      clearTimeout(one.timer)
      this.#waiting--
      this.#begin(line)
      // To the end: the others have their turns first.
      this.#lines.delete(cloudId)
      this.#lines.set(cloudId, line)
      one.start()
    }
  }
}
