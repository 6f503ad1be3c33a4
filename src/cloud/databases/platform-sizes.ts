/** The limits of databases by the packages of their clouds, and the record of what they take. */
import { limitsOf, setReadOnly } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { DatabasesApp } from './app.ts'
import type { DatabaseRecord } from './databases.ts'
import type { DatabaseSize, DatabaseSizes, Measurement } from './size.ts'
import * as store from './store.ts'
import { addAwakeTime, recordMeasurement, requireAwakeTime } from './usage.ts'

export class PlatformSizes implements DatabaseSizes<DatabaseRecord> {
  readonly #context: DatabasesApp
  /** The writes of each cloud, one after the other, so that the last measurement is the one that stays. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(context: DatabasesApp) {
    this.#context = context
  }

  async sizeOf(database: DatabaseRecord): Promise<DatabaseSize> {
    return this.#limits(database)
  }

  async requireTime(database: DatabaseRecord): Promise<void> {
    await requireAwakeTime(this.#context, database, await this.#limits(database))
  }

  recordMeasurement(database: DatabaseRecord, measurement: Measurement): void {
    const { cloudId } = database
    const before = this.#writing.get(cloudId) ?? Promise.resolve()
    const writing = before.then(() => this.#write(database, measurement))
    this.#writing.set(cloudId, writing)
    void writing.then(() => {
      if (this.#writing.get(cloudId) === writing) this.#writing.delete(cloudId)
    })
  }

  async recordAwakeTime(database: DatabaseRecord, interval: { fromMs: number; toMs: number }): Promise<void> {
    await addAwakeTime(this.#context, database, interval)
  }

  async #limits(database: DatabaseRecord): Promise<ReturnType<typeof limitsOf>> {
    const { db, config } = this.#context
    const limited = (await store.findPackageLimits(db, database)) ?? fail('CLOUD_NOT_FOUND', {})
    return limitsOf(config.clouds, limited)
  }

  async #write(database: DatabaseRecord, measurement: Measurement): Promise<void> {
    try {
      await recordMeasurement(this.#context, database, measurement)
      await setReadOnly(this.#context, database, measurement.isFull)
    } catch (err) {
      this.#context.log.warn({ err, ref: database.ref }, 'the disk of a database could not be written down')
    }
  }
}
