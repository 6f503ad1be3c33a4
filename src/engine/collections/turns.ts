/**
 * Who of many clouds uses the few connections next: each cloud in its turn, never all of them by one, and one at a time by a cloud whose
 * statements take long. Who would wait too long is told so at once.
 */
import { Failure, fail } from '#platform/errors'

interface Waiting {
  /** Whether it counts among the slow ones. */
  start: (isSlow: boolean) => void
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
  /** So many of such clouds at once, of all: their statements would take the processor from everybody else's. */
  slowPlaces: number
  waitingPerCloud: number
  waiting: number
  longestWaitMs: number
}

const retryAfterMs = 1_000
/** That a cloud's last statement took long. */
const rememberedMs = 60_000

export class Turns {
  readonly #options: TurnsOptions
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>()
  #running = 0
  #slowRunning = 0
  #waiting = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Runs `work` when it is this cloud's turn. Throws ROWS_BUSY. */
  async run<Result>(cloudId: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lineOf(cloudId)
    const mustWait = this.#running >= this.#options.places || !this.#hasPlace(line) || line.waiting.length > 0
    const wasSlow = mustWait ? await this.#wait(line) : this.#begin(line)
    const sinceMs = performance.now()
    try {
      return await work()
    } finally {
      if (wasSlow) this.#slowRunning--
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
    const { perCloud, slowPlaces } = this.#options
    return line.isSlow ? line.running === 0 && this.#slowRunning < slowPlaces : line.running < perCloud
  }

  #begin(line: Line): boolean {
    line.running++
    this.#running++
    if (line.isSlow) this.#slowRunning++
    return line.isSlow
  }

  #wait(line: Line): Promise<boolean> {
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
      const isSlow = this.#begin(line)
      // To the end: the others have their turns first.
      this.#lines.delete(cloudId)
      this.#lines.set(cloudId, line)
      one.start(isSlow)
    }
  }

  #forgetLater(cloudId: string, line: Line): void {
    setTimeout(() => {
      if (line.running === 0 && line.waiting.length === 0 && this.#lines.get(cloudId) === line)
        this.#lines.delete(cloudId)
    }, rememberedMs).unref()
  }
}
