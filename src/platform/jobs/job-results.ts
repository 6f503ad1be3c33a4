/** How jobs ended, on its way to the database: what ends while one statement is under way travels in the next. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import * as store from './store.ts'

const firstPauseMs = 50
const maxPauseMs = 2_000

export class JobResults {
  readonly #db: Db
  readonly #log: Log
  readonly #processId: string
  #waiting: { ended: store.JobResult; resolve: () => void }[] = []
  #flushing: Promise<void> | undefined
  #closed = false

  constructor(db: Db, log: Log, processId: string) {
    this.#db = db
    this.#log = log
    this.#processId = processId
  }

  /** Resolves when it is durable; sent again until the database has it. */
  add(ended: store.JobResult): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ ended, resolve })
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = undefined
      })
    })
  }

  /** Nothing is sent any more: what was not told is found by those who sweep after this process. */
  close(): void {
    this.#closed = true
  }

  async #flush(): Promise<void> {
    let pauseMs = firstPauseMs
    while (this.#waiting.length > 0 && !this.#closed) {
      const batch = this.#waiting.splice(0)
      try {
        await store.settle(
          this.#db,
          this.#processId,
          batch.map(({ ended }) => ended),
        )
        for (const { resolve } of batch) resolve()
        pauseMs = firstPauseMs
      } catch (error) {
        this.#log.warn(
          { err: error, jobs: batch.length },
          'jobs could not say how they ended; it is said again',
        )
        this.#waiting.unshift(...batch)
        await pause(pauseMs)
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      }
    }
  }
}
