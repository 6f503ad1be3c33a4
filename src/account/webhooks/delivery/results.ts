/** Writes outcomes of attempts to the database in batches: outcomes that come during one statement are written by the next. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import * as store from './store.ts'

const firstPauseMs = 50
const maxPauseMs = 2_000
const maxAtOnce = 500

export class Results {
  readonly #db: Db
  readonly #log: Log
  #waiting: { result: store.DeliveryUpdate; resolve: () => void }[] = []
  #writing: Promise<void> | undefined
  #closed = false

  constructor(db: Db, log: Log) {
    this.#db = db
    this.#log = log
  }

  /** Resolves when the outcome is durable; it is sent again until the database has it. */
  add(result: store.DeliveryUpdate): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ result, resolve })
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined
      })
    })
  }

  /** Stops writing. Deliveries whose outcome was not written are sent again by another process, which is allowed. */
  close(): void {
    this.#closed = true
  }

  async #write(): Promise<void> {
    let pauseMs = firstPauseMs
    while (this.#waiting.length > 0 && !this.#closed) {
      // The batch is sorted, so that concurrent writers lock rows in the same order and do not deadlock.
      const batch = this.#waiting.splice(0, maxAtOnce).sort(byDelivery)
      try {
        await store.settleDeliveries(
          this.#db,
          batch.map(({ result }) => result),
        )
        for (const { resolve } of batch) resolve()
        pauseMs = firstPauseMs
      } catch (error) {
        this.#log.warn(
          { err: error, deliveries: batch.length },
          'deliveries could not be noted; it is tried again',
        )
        this.#waiting.unshift(...batch)
        await pause(pauseMs)
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      }
    }
  }
}

const byDelivery = (a: { result: store.DeliveryUpdate }, b: { result: store.DeliveryUpdate }): number =>
  a.result.delivery_id < b.result.delivery_id ? -1 : 1
