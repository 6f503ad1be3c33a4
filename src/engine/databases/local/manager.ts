/** Databases of this machine as one process uses them: woken by the first use, stopped when nobody has used them for a while. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { Failure, fail } from '#platform/errors'
import type { Metrics } from '#platform/metrics'
import { Connections, openWatcherPool } from '../connections.ts'
import type { OpenDatabase } from '../databases.ts'
import type { DatabaseSizes } from '../size.ts'
import { DatabaseWatch } from '../watch/watch.ts'
import { type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'
import { MachineWatch } from './machine-watch.ts'
import { type Awake, stop, wake } from './wake.ts'

export interface ManagerOptions<Database> {
  idleMs: number
  /** How often time awake is written down, and looked at. */
  reportEveryMs?: number | undefined
  sizes: DatabaseSizes<Database>
  metrics?: Pick<Metrics, 'databasesAwake' | 'databaseWakeSeconds'> | undefined
}

interface Entry<Database> {
  database: Database
  awake: Awake
  connections: Connections
  watch: DatabaseWatch
  end(): Promise<void>
  users: number
  /** Its hours are used: nobody new gets it, and it sleeps once whoever uses it has ended. */
  refusal?: Failure | undefined
  idle?: NodeJS.Timeout | undefined
  reporting: NodeJS.Timeout
}

const reportMs = 60_000
/** After which a database that did not start may. */
const startAgainMs = 10_000

const refusalOf = (checked: Promise<void>): Promise<Failure | undefined> =>
  checked.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    },
  )

export class LocalDatabases<Database extends LocalDatabase = LocalDatabase> implements AsyncDisposable {
  readonly #context: LocalContext
  readonly #options: ManagerOptions<Database>
  readonly #entries = new Map<string, Promise<Entry<Database>>>()
  readonly #closing = new Set<Promise<void>>()

  constructor(context: LocalContext, options: ManagerOptions<Database>) {
    this.#context = context
    this.#options = options
  }

  /** It stays awake until `work` ends. Throws what `wake` throws, DATABASE_DOES_NOT_START, and what `work` throws. */
  async use<Result>(database: Database, work: (open: OpenDatabase) => Promise<Result>): Promise<Result> {
    const entry = await this.#entryOf(database)
    if (entry.refusal) throw entry.refusal
    entry.users++
    clearTimeout(entry.idle)
    try {
      return await work(entry.connections)
    } finally {
      entry.users--
      if (entry.users === 0) this.#leave(entry)
    }
  }

  /** Stops it in this process once what uses it now has ended its statements: they fail. */
  async close({ ref }: Pick<LocalDatabase, 'ref'>): Promise<void> {
    const entry = await this.#entries.get(ref)?.catch(() => undefined)
    if (entry) await this.#close(entry)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((ref) => this.close({ ref })))
    await Promise.all(this.#closing)
  }

  async #entryOf(database: Database): Promise<Entry<Database>> {
    const { ref } = database
    const known = this.#entries.get(ref)
    if (known) return known
    const opening = this.#open(database)
    this.#entries.set(ref, opening)
    opening.catch(() => this.#entries.delete(ref))
    return opening
  }

  async #open(database: Database): Promise<Entry<Database>> {
    const { sizes, metrics } = this.#options
    await sizes.requireTime(database)
    const beganMs = performance.now()
    const size = await sizes.of(database)
    const sized = { ref: database.ref, user: database.user, size }
    const awake = await wake(this.#context, sized).catch((error: unknown) => this.#refuse(sized.ref, error))
    metrics?.databaseWakeSeconds.of({}).since(beganMs)
    metrics?.databasesAwake.inc()
    const watcher = openWatcherPool(awake.address)
    const machine = new MachineWatch(this.#context, sized)
    const watch = new DatabaseWatch({
      pool: watcher,
      size,
      whole: true,
      beside: () => machine.look(),
      measured: (measurement) => sizes.measured(database, measurement),
      blind: () => void stop(this.#context, database),
    })
    const connections = new Connections({
      addressOf: awake.address,
      size,
      taken: () => watch.works(),
      givenBack: () => watch.rested(),
    })
    const end = async (): Promise<void> => {
      watch[Symbol.dispose]()
      await Promise.all([connections.close(), watcher.end()])
      await this.#report(database).catch(() => undefined)
      await awake.leave()
      metrics?.databasesAwake.dec()
    }
    const report = async (): Promise<void> => {
      await this.#report(database)
      watch.limitTo(await sizes.of(database))
      entry.refusal = await refusalOf(sizes.requireTime(database))
      if (entry.users === 0 && entry.refusal) await this.#close(entry)
    }
    const { reportEveryMs = reportMs } = this.#options
    const reporting = setInterval(() => void report().catch(() => undefined), reportEveryMs).unref()
    const entry: Entry<Database> = { database, awake, connections, watch, end, users: 0, reporting }
    awake.whenRoomIsNeeded(() => {
      if (entry.users === 0) void this.#close(entry)
    })
    // The next use wakes it again.
    void awake.lost.then(() => this.#close(entry))
    return entry
  }

  #refuse(ref: string, error: unknown): never {
    if (error instanceof Failure) throw error
    this.#context.log.error({ ref, err: error }, 'PostgreSQL of a cloud does not start')
    return fail('DATABASE_DOES_NOT_START', {}, { retryAfterMs: startAgainMs })
  }

  #leave(entry: Entry<Database>): void {
    if (entry.refusal) void this.#close(entry)
    else this.#closeLater(entry)
  }

  #closeLater(entry: Entry<Database>): void {
    entry.awake.touch()
    entry.idle = setTimeout(() => void this.#close(entry), this.#options.idleMs)
    entry.idle.unref()
  }

  async #close(entry: Entry<Database>): Promise<void> {
    const { ref } = entry.database
    clearTimeout(entry.idle)
    clearInterval(entry.reporting)
    const current = await this.#entries.get(ref)?.catch(() => undefined)
    if (current !== entry) return
    this.#entries.delete(ref)
    const closing = entry.end()
    this.#closing.add(closing)
    await closing.finally(() => this.#closing.delete(closing))
  }

  /** Takes the time since it was written down last for this process, so that no other one counts it, too. */
  async #report(database: Database): Promise<void> {
    const { countFile, infoFile } = layoutOf(this.#context.root, database)
    const interval = await this.#context.claims.alone(async () => {
      const counted = Number(await readFile(countFile, 'latin1').catch(() => '0'))
      const { mtimeMs: started } = await stat(infoFile)
      const toMs = Date.now()
      await writeFile(countFile, String(toMs))
      return { fromMs: Math.round(Math.max(counted, started)), toMs }
    })
    await this.#options.sizes.wasAwake(database, interval)
  }
}
