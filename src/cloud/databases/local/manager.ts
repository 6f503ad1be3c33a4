/** Databases of this machine as one process uses them: woken by the first use, stopped when nobody has used them for a while. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { Failure, fail } from '#platform/errors'
import type { Metrics } from '#platform/metrics'
import type { OpenDatabase } from '../databases.ts'
import { type DatabaseCloser, DatabasesInUse, type OpenedDatabase } from '../in-use.ts'
import type { DatabaseSizes } from '../size.ts'
import { openWatchedDatabase } from '../watched.ts'
import { type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'
import { MachineWatch } from './machine-watch.ts'
import { stop, wake } from './wake.ts'

export interface ManagerOptions<Database> {
  idleMs: number
  /** How often the time awake is recorded and checked. */
  reportEveryMs?: number | undefined
  sizes: DatabaseSizes<Database>
  metrics?: Pick<Metrics, 'databasesAwake' | 'databaseWakeSeconds'> | undefined
}

const reportMs = 60_000

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
  readonly #inUse: DatabasesInUse<Database>

  constructor(context: LocalContext, options: ManagerOptions<Database>) {
    this.#context = context
    this.#options = options
    this.#inUse = new DatabasesInUse({
      idleMs: options.idleMs,
      open: (database, closing) => this.#open(database, closing),
    })
  }

  /** Keeps the database awake until `work` ends. Throws what `wake` throws, DATABASE_DOES_NOT_START, and what `work` throws. */
  use<Result>(database: Database, work: (open: OpenDatabase) => Promise<Result>): Promise<Result> {
    return this.#inUse.use(database, work)
  }

  /** Closes the database in this process; work that uses it now fails. */
  close(database: Pick<LocalDatabase, 'ref'>): Promise<void> {
    return this.#inUse.close(database)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inUse[Symbol.asyncDispose]()
  }

  async #open(database: Database, closing: DatabaseCloser): Promise<OpenedDatabase> {
    const { sizes, metrics } = this.#options
    await sizes.requireTime(database)
    const beganMs = performance.now()
    const size = await sizes.sizeOf(database)
    const sized = { ref: database.ref, user: database.user, size }
    const awake = await wake(this.#context, sized).catch((error: unknown) => this.#refuse(sized.ref, error))
    metrics?.databaseWakeSeconds.of({}).observeSince(beganMs)
    metrics?.databasesAwake.inc()
    const machine = new MachineWatch(this.#context, sized)
    const watched = openWatchedDatabase({
      addressOf: awake.address,
      size,
      hasOwnServer: true,
      checkMachine: () => machine.look(),
      onMeasured: (measurement) => sizes.recordMeasurement(database, measurement),
      onWatchLost: () => void stop(this.#context, database).catch((error) => this.#warn(database.ref, error)),
    })
    const report = async (): Promise<void> => {
      await this.#report(database)
      watched.watch.limitTo(await sizes.sizeOf(database))
      closing.refuse(await refusalOf(sizes.requireTime(database)))
    }
    const { reportEveryMs = reportMs } = this.#options
    const reporting = setInterval(() => void report().catch(() => undefined), reportEveryMs).unref()
    awake.whenRoomIsNeeded(closing.closeIfUnused)
    // The next use wakes it again.
    void awake.serverGone.then(closing.close)
    const end = async (): Promise<void> => {
      clearInterval(reporting)
      await watched.end()
      await this.#report(database).catch(() => undefined)
      await awake.leave().catch((error) => this.#warn(database.ref, error))
      metrics?.databasesAwake.dec()
    }
    return { connections: watched.connections, onUnused: awake.touch, end }
  }

  #warn(ref: string, error: unknown): void {
    this.#context.log.warn({ ref, err: error }, 'PostgreSQL of a cloud is not left in order')
  }

  #refuse(ref: string, error: unknown): never {
    if (error instanceof Failure) throw error
    this.#context.log.error({ ref, err: error }, 'PostgreSQL of a cloud does not start')
    return fail('DATABASE_DOES_NOT_START', {})
  }

  /** Takes the time since the last record for this process, so that no other process counts it, too. */
  async #report(database: Database): Promise<void> {
    const { countFile, infoFile } = layoutOf(this.#context.root, database)
    const interval = await this.#context.claims.withLock(async () => {
      const counted = Number(await readFile(countFile, 'latin1').catch(() => '0'))
      const { mtimeMs: started } = await stat(infoFile)
      const toMs = Date.now()
      await writeFile(countFile, String(toMs))
      return { fromMs: Math.round(Math.max(counted, started)), toMs }
    })
    await this.#options.sizes.recordAwakeTime(database, interval)
  }
}
