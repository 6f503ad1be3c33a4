import { randomBytes } from 'node:crypto'
import type { CloudKey } from '#cloud/clouds'
import type { Db } from '#platform/db'
import { Failure, fail } from '#platform/errors'
import type { Metrics } from '#platform/metrics'
import type { Secrets } from '#platform/secrets'
import {
  type CloudDatabases,
  type DatabaseBackups,
  type DatabaseProvider,
  type DatabaseRecord,
  databaseErrors,
  type OpenDatabase,
  sealPurposeOf,
} from './databases.ts'
import './phrases.ts'
import * as store from './store.ts'

export interface DatabasesOptions {
  db: Db
  secrets: Secrets
  metrics: Pick<Metrics, 'databaseRefusals'>
  /** The first one that has room takes a new database. */
  providers: readonly DatabaseProvider[]
}

export function openCloudDatabases(options: DatabasesOptions): CloudDatabases {
  return new Databases(options)
}

class Databases implements CloudDatabases {
  readonly #db: Db
  readonly #secrets: Secrets
  readonly #refusals: Metrics['databaseRefusals']
  readonly #providers: readonly DatabaseProvider[]
  /** The records of clouds that will have no other database. */
  readonly #records = new Map<string, DatabaseRecord>()

  constructor({ db, secrets, metrics, providers }: DatabasesOptions) {
    this.#db = db
    this.#secrets = secrets
    this.#refusals = metrics.databaseRefusals
    this.#providers = providers
  }

  async use<Result>(cloud: CloudKey, work: (open: OpenDatabase) => Promise<Result>): Promise<Result> {
    const record = (await this.#find(cloud)) ?? fail('CLOUD_NOT_READY', { status: 'provisioning' })
    return this.#providerOf(record)
      .use(record, work)
      .catch((error: unknown) => this.#count(error))
  }

  async requireRoom(): Promise<void> {
    const taken = await store.takenPlaces(this.#db)
    for (const provider of this.#providers) if (await provider.place(taken)) return
    fail('DATABASE_NO_ROOM', {}, { retryAfterMs: 10_000 })
  }

  async make(cloud: CloudKey & { ref: string }): Promise<void> {
    const record = (await this.#find(cloud)) ?? (await this.#settle(cloud))
    const provider = this.#providerOf(record)
    await provider.make(record)
    // The cloud was deleted meanwhile, or its move was given up.
    if ((await store.findDatabase(this.#db, cloud))?.ref !== record.ref) await provider.remove(record)
  }

  async stop(cloud: CloudKey): Promise<void> {
    const record = await this.#find(cloud)
    this.#records.delete(cloud.cloudId)
    if (record) await this.#providerOf(record).stop(record)
  }

  async backups(cloud: CloudKey): Promise<DatabaseBackups> {
    const record = (await this.#find(cloud)) ?? fail('CLOUD_NOT_READY', { status: 'provisioning' })
    return this.#providerOf(record).backups?.(record) ?? fail('BACKUPS_OF_OPERATOR', {})
  }

  async remove(cloud: CloudKey): Promise<void> {
    const record = await store.findDatabase(this.#db, cloud)
    if (!record) return
    await this.#providerOf(record).remove(record)
    await store.deleteDatabase(this.#db, record)
    this.#records.delete(cloud.cloudId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const provider of this.#providers) await provider[Symbol.asyncDispose]()
  }

  async #find(cloud: CloudKey): Promise<DatabaseRecord | undefined> {
    const known = this.#records.get(cloud.cloudId)
    if (known) return known
    const found = await store.findDatabase(this.#db, cloud)
    if (found?.stays) this.#records.set(cloud.cloudId, found)
    return found
  }

  /** Records the place of a new database before anything of it exists, so that nothing is made without a record. */
  async #settle(cloud: CloudKey & { ref: string }): Promise<DatabaseRecord> {
    for (const provider of this.#providers) {
      const place = await provider.place(await store.takenPlaces(this.#db))
      if (!place) continue
      const secretsSealed = provider.hasPasswords
        ? await this.#secrets.seal(randomBytes(32).toString('base64url'), sealPurposeOf(cloud))
        : null
      await store.insertDatabase(this.#db, { ...cloud, provider: provider.name, ...place, secretsSealed })
      // Where another process was faster, its place counts; where another cloud took the user of the machine, the next attempt takes another user.
      const settled = await this.#find(cloud)
      if (settled) return settled
    }
    return fail('DATABASE_NO_ROOM', {}, { retryAfterMs: 10_000 })
  }

  #count(error: unknown): never {
    if (error instanceof Failure && databaseErrors.includes(error.code))
      this.#refusals.inc({ code: error.code })
    throw error
  }

  #providerOf({ provider }: DatabaseRecord): DatabaseProvider {
    return this.#providers.find(({ name }) => name === provider) ?? fail('DATABASE_ELSEWHERE', {})
  }
}
