/**
 * Connections for short statements, and a single one for long statements of all clouds: a long statement occupies a core, and a machine has few.
 * Which statements are short is not known before, so each begins as short, is stopped after `shortMs` and begins anew on the connection for long
 * ones.
 */
import type { CloudKey } from '#cloud/clouds'
import { type Db, lazyDb, type OpenOptions } from '#platform/db'
import { Failure } from '#platform/errors'
import { Turns } from '#platform/turns'

export const statementTimeoutMs = 2_000

/** A statement that takes longer is a long one. */
const shortMs = 200
const shortPlaces = 4
/** How long a cloud's statements begin on the connection for long ones, after one was long. */
const rememberedMs = 30_000

const waitingOptions = {
  waitingPerOwner: 64,
  waiting: 1_000,
  maxWaitMs: 2_000,
  busy: () => new Failure('ROWS_BUSY', {}, { retryAfterMs: 1_000 }),
}

interface Lane {
  db: Db
  turns: Turns
}

/** Opens the lanes without a query: at a start, a query may be starved for longer than a short statement takes. */
export function openLanes(options: Pick<OpenOptions, 'url' | 'log' | 'onBackend' | 'connectMs'>): Lanes {
  const openWith = (maxConnections: number, timeoutMs: number): Db =>
    lazyDb({ ...options, withoutWorkers: true, maxConnections, statementTimeoutMs: timeoutMs })
  return new Lanes(openWith(shortPlaces, shortMs), openWith(1, statementTimeoutMs))
}

export class Lanes implements AsyncDisposable {
  readonly #short: Lane
  readonly #long: Lane
  /** Clouds with long statements, and when the memory of each ends. */
  readonly #longUntilMs = new Map<string, number>()

  constructor(short: Db, long: Db) {
    this.#short = {
      db: short,
      turns: new Turns({ places: shortPlaces, perOwner: shortPlaces - 1, ...waitingOptions }),
    }
    this.#long = { db: long, turns: new Turns({ places: 1, perOwner: 1, ...waitingOptions }) }
  }

  /**
   * Runs `work` when it is the cloud's turn: reads, or one transaction that changes nothing if it throws, as it may begin twice.
   * Throws ROWS_BUSY, and what `work` throws.
   */
  async run<Result>({ cloudId }: CloudKey, work: (db: Db) => Promise<Result>): Promise<Result> {
    const short = await this.#runShort(cloudId, work)
    if (short) return short.result
    return this.#long.turns.run(cloudId, async () => {
      const sinceMs = performance.now()
      try {
        return await work(this.#long.db)
      } finally {
        if (performance.now() - sinceMs > shortMs) this.#remember(cloudId)
      }
    })
  }

  /** Returns undefined where the work takes long, or the cloud's last work did. */
  async #runShort<Result>(
    cloudId: string,
    work: (db: Db) => Promise<Result>,
  ): Promise<{ result: Result } | undefined> {
    if (this.#isLong(cloudId)) return undefined
    try {
      return await this.#short.turns.run(cloudId, async () =>
        // Other work of the cloud may have taken long while this work waited.
        this.#isLong(cloudId) ? undefined : { result: await work(this.#short.db) },
      )
    } catch (error) {
      if (!isCanceled(error)) throw error
      this.#remember(cloudId)
      return undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#short.db[Symbol.asyncDispose]()
    await this.#long.db[Symbol.asyncDispose]()
  }

  #isLong(cloudId: string): boolean {
    const untilMs = this.#longUntilMs.get(cloudId)
    if (untilMs === undefined) return false
    if (performance.now() < untilMs) return true
    this.#longUntilMs.delete(cloudId)
    return false
  }

  #remember(cloudId: string): void {
    const nowMs = performance.now()
    // The entries are in the order in which they end, since each lasts equally long.
    for (const [other, untilMs] of this.#longUntilMs) {
      if (untilMs > nowMs) break
      this.#longUntilMs.delete(other)
    }
    this.#longUntilMs.delete(cloudId)
    this.#longUntilMs.set(cloudId, nowMs + rememberedMs)
  }
}

const isCanceled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014'
