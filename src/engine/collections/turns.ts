/**
 * Who of many clouds uses the few connections next: each cloud in its turn, never all of them by one, and one at a time by a cloud whose
 * statements take long. Who would wait too long is told so at once.
 */
import { fail } from '#platform/errors'

interface Waiting {
  start: () => void
  refuse: (error: unknown) => void
  timer: NodeJS.Timeout
}

interface Line {
  running: number
  waiting: Waiting[]
  /** The last statement took long. */
  isSlow: boolean
}

export interface TurnsOptions {
  /** Connections. */
  places: number
  /** Of one cloud at once. */
  perCloud: number
  /** A cloud whose last statement took longer has one at a time. */
  slowMs: number
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
    if (this.#running >= this.#options.places || !this.#hasPlace(line) || line.waiting.length > 0)
      await this.#wait(line)
    else this.#begin(line)
    const sinceMs = performance.now()
    try {
      return await work()
    } finally {
      line.isSlow = performance.now() - sinceMs > this.#options.slowMs
      line.running--
      this.#running--
      this.#next()
      if (line.running === 0 && line.waiting.length === 0 && !line.isSlow) this.#lines.delete(cloudId)
      else if (line.isSlow) this.#forgetLater(cloudId, line)
    }
  }

  #lineOf(cloudId: string): Line {
    let line = this.#lines.get(cloudId)
    if (!line) {
      line = { running: 0, waiting: [], isSlow: false }
      this.#lines.set(cloudId, line)
    }
    return line
  }

  #hasPlace(line: Line): boolean {
    return line.running < (line.isSlow ? 1 : this.#options.perCloud)
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
    try {
      fail('ROWS_BUSY', {}, { retryAfterMs })
    } catch (error) {
      one.refuse(error)
    }
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

  #forgetLater(cloudId: string, line: Line): void {
    setTimeout(() => {
      if (line.running === 0 && line.waiting.length === 0 && this.#lines.get(cloudId) === line)
        this.#lines.delete(cloudId)
    }, 5_000).unref()
  }
}
