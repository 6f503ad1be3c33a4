/** Writes the results of jobs to the database: results that arrive while a statement runs are written with the next one. */
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

  /** Resolves when the result is durable; it is sent again until the database has stored it. */
  add(ended: store.JobResult): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ ended, resolve })
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = undefined
      })
    })
  }

  /** Stops writing: the sweep finds the jobs of this process whose results were not written. */
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
