/** PostgreSQL servers of this machine as capacity for databases of clouds. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Repetition, repetitions } from '#platform/clock'
import { Failure, fail } from '#platform/errors'
import type { Jail } from '#platform/jail'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { findBinaries } from '#platform/postgres'
import type { DatabaseBackups, DatabaseProvider, DatabaseRecord, OpenDatabase } from '../databases.ts'
import '../phrases.ts'
import type { DatabaseSizes } from '../size.ts'
import { LocalBackups } from './backups.ts'
import { Claims } from './claims.ts'
import type { LocalDatabase } from './layout.ts'
import type { LocalContext } from './local.ts'
import { isDiskShort } from './machine-watch.ts'
import { makeDatabase } from './make.ts'
import { LocalDatabases } from './manager.ts'
import { memoryOfDatabases } from './memory.ts'
import { makePlace, type PlaceOwner } from './place.ts'
import { findPrograms } from './program.ts'
import { killServer, removeAll, sweepDrafts } from './remove.ts'
import { stop, stopUnused } from './wake.ts'

/** The first user of databases: far above the users that systems give, and below those of jails. */
const firstUser = 900_000_000

export interface LocalOptions {
  /** The folder of the databases; made with the first one. */
  root: string
  /** The data folder in which `root` lies. */
  owner: PlaceOwner
  /** Folder with the programs of PostgreSQL; the npm package's when absent. */
  pgBin?: string | undefined
  idleMs: number
  /** Parts of the whole: the memory of the machine that all databases awake may take, and the free part of its disk. */
  memoryShare: number
  leastFreeDisk: number
  sizes: DatabaseSizes<DatabaseRecord>
  jail: Jail
  log: Log
  metrics: Metrics
}

interface ReadyProvider {
  place: string
  context: LocalContext
  databases: LocalDatabases<LocalDatabase & DatabaseRecord>
  sweeping: Repetition
}

const sweepMs = 60_000
/** The first requests, which come as soon as the service is ready, get the processor before this. */
const beginMs = 2_000

export class LocalProvider implements DatabaseProvider {
  readonly name = 'local'
  readonly hasPasswords = false
  readonly #options: LocalOptions
  #beginning: NodeJS.Timeout | undefined
  #isOver = false
  #ready: Promise<ReadyProvider> | undefined

  constructor(options: LocalOptions) {
    this.#options = options
    // Servers that a killed process has left run on with nobody to watch them.
    if (existsSync(options.root)) this.#beginIn(beginMs)
  }

  #beginIn(ms: number): void {
    this.#beginning = setTimeout(() => {
      this.#open().catch((error: unknown) => {
        logged(this.#options.log)(error)
        // The machine was too busy to test its jail.
        if (!this.#isOver && error instanceof Failure && error.more.final === false) this.#beginIn(sweepMs)
      })
    }, ms).unref()
  }

  async place(taken: { place: string; osUser: number | null }[]): ReturnType<DatabaseProvider['place']> {
    const { place, context } = await this.#open()
    if (await isDiskShort(context, context.root)) return undefined
    if (process.getuid?.() !== 0) return { place, osUser: null }
    const others = new Set(taken.filter((one) => one.place === place).map(({ osUser }) => osUser))
    let osUser = firstUser
    while (others.has(osUser)) osUser++
    return { place, osUser }
  }

  async make(database: DatabaseRecord): Promise<void> {
    const { context } = await this.#here(database)
    await makeDatabase(context, localOf(database))
  }

  async use<Result>(
    database: DatabaseRecord,
    work: (open: OpenDatabase) => Promise<Result>,
  ): Promise<Result> {
    const { databases } = await this.#here(database)
    return databases.use(localOf(database), work)
  }

  async stop(database: DatabaseRecord): Promise<void> {
    const { databases, context, place } = await this.#open()
    // A server on another machine is stopped there.
    if (database.place !== place) return
    // Stopping its server ends the work under way in it; only then is there nothing left to wait for.
    await stop(context, localOf(database))
    await databases.close(database)
  }

  async remove(database: DatabaseRecord): Promise<void> {
    const { context, databases } = await this.#here(database)
    await killServer(context, localOf(database))
    await databases.close(database)
    await removeAll(context.root, database)
  }

  async backups(database: DatabaseRecord): Promise<DatabaseBackups> {
    const { context } = await this.#here(database)
    // An app that uses the database meanwhile finds the size of its package.
    const size = await this.#options.sizes.sizeOf(localOf(database))
    return new LocalBackups(context, { ...localOf(database), size })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#beginning)
    const ready = await this.#ready?.catch(() => undefined)
    void ready?.sweeping.stop()
    await ready?.databases[Symbol.asyncDispose]()
    await ready?.context.claims[Symbol.asyncDispose]()
  }

  async #here({ place }: DatabaseRecord): Promise<ReadyProvider> {
    const ready = await this.#open()
    return place === ready.place ? ready : fail('DATABASE_ELSEWHERE', {})
  }

  #open(): Promise<ReadyProvider> {
    this.#ready ??= this.#begin().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #begin(): Promise<ReadyProvider> {
    const { owner, pgBin, idleMs, memoryShare, leastFreeDisk, sizes, jail, log, metrics } = this.#options
    const root = path.resolve(this.#options.root)
    const state = await jail.state()
    if (state.kind === 'refused') fail('DATABASES_UNAVAILABLE', { why: state.why }, { final: state.isSure })
    // If we are root, users of databases pass through the folder; they see nothing in it.
    await mkdir(root, { recursive: true, mode: 0o711 })
    const { postgres } = await findBinaries(pgBin, undefined, log)
    const programs = await findPrograms(postgres)
    const { tools } = state
    const claims = new Claims(root, { tools, limitBytes: memoryOfDatabases(memoryShare) })
    const context: LocalContext = { root, tools, programs, log, claims, leastFree: leastFreeDisk }
    const sweep = async (): Promise<void> => {
      await claims.sweep((ref) => stopUnused(context, { ref }))
      await sweepDrafts(context)
    }
    await sweep()
    const sweeping = repetitions.every(sweepMs, 'sweep of databases', () => sweep().catch(logged(log)))
    const databases = new LocalDatabases<LocalDatabase & DatabaseRecord>(context, { idleMs, sizes, metrics })
    return { place: await makePlace(root, owner), context, databases, sweeping }
  }
}

const logged =
  (log: Log) =>
  (err: unknown): void =>
    log.warn({ err }, 'databases that killed processes have left are not cleared away')

const localOf = (record: DatabaseRecord): DatabaseRecord & LocalDatabase => ({
  ...record,
  user: record.osUser ?? undefined,
})
