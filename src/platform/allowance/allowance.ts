/**
 * Daily limits of what each row of a table may use (days in UTC), shared by any number of processes. A process takes portions of the day's limit in
 * transactions and spends them from memory, so that any number of processes together never exceed the limit and a request needs no SQL statement. A
 * portion that lies unused for a minute is given back.
 */
import { type Clock, type Repetition, repetitions } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import { giveBack, takePortion, type UsageTable } from './store.ts'

/** An amount of each kind: `{ requests: 1, bytes: 2_000 }`. */
export type Amounts<Name extends string> = Record<Name, number>

/** The row to which an allowance belongs. */
export interface UserKey {
  accountId: string
  id: string
}

/** The part of a day's portions that was taken and not used. */
export interface UnusedPortion<Name extends string> extends UserKey {
  day: string
  left: Amounts<Name>
}

export interface AllowanceOptions<Name extends string, Limited> {
  db: Db
  clock: Clock
  log: Log
  table: UsageTable<Name>
  /** The first portion. It doubles while portions are used up within a minute, up to `largestPortion`. */
  firstPortion: Amounts<Name>
  largestPortion: Amounts<Name>
  /** Computes the limits of a day from the columns in `UsageTable.limitedBy`. */
  limitsOf: (user: Limited) => Amounts<Name>
}

const dayMs = 24 * 60 * 60 * 1000
const idleMs = 60_000
const sweepMs = 15_000
/** How long a refusal is remembered: a flood of requests then costs no transactions, and a raised limit still counts soon. */
const refusalMs = 5_000

/** The allowances in use in this process. Disposing them gives back what is unused. */
export class Allowances<Name extends string, Limited> implements AsyncDisposable {
  readonly #options: AllowanceOptions<Name, Limited>
  readonly #open = new Map<string, Allowance<Name, Limited>>()
  readonly #sweeps: Repetition

  constructor(options: AllowanceOptions<Name, Limited>) {
    this.#options = options
    this.#sweeps = repetitions.every(sweepMs, 'sweep of allowances', () => this.sweep())
  }

  of(accountId: string, id: string): Allowance<Name, Limited> {
    let found = this.#open.get(id)
    if (!found) {
      found = new Allowance(this.#options, { accountId, id })
      this.#open.set(id, found)
    }
    return found
  }

  /** Gives back what was not used for a minute, and frees the memory of those allowances. */
  async sweep(): Promise<void> {
    const nowMs = this.#options.clock.nowMs()
    const unused: UnusedPortion<Name>[] = []
    for (const [id, allowance] of this.#open) {
      if (!allowance.isIdle(nowMs)) continue
      this.#open.delete(id)
      unused.push(...allowance.end())
    }
    await this.#giveBack(unused)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    void this.#sweeps.stop()
    await Promise.all([...this.#open.values()].map((allowance) => allowance.settled()))
    const unused = [...this.#open.values()].flatMap((allowance) => allowance.end())
    this.#open.clear()
    await this.#giveBack(unused)
  }

  /** Gives portions back to the database. If this fails they count as used: less is allowed, never more. */
  async #giveBack(unused: UnusedPortion<Name>[]): Promise<void> {
    if (unused.length === 0) return
    const { db, table, log } = this.#options
    try {
      await giveBack(db, table, unused)
    } catch (error) {
      log.warn({ err: error, count: unused.length }, 'unused allowances were not given back')
    }
  }
}

export class Allowance<Name extends string, Limited> {
  readonly #options: AllowanceOptions<Name, Limited>
  readonly #key: UserKey
  readonly #names: readonly Name[]
  #day = ''
  #dayEndMs = 0
  #left: Amounts<Name>
  /** Unused amounts of earlier days, which are to be given back. */
  readonly #unusedPortions: UnusedPortion<Name>[] = []
  #portion: Amounts<Name>
  #takenMs = Number.NEGATIVE_INFINITY
  #usedMs = Number.NEGATIVE_INFINITY
  #taking: Promise<void> | undefined
  /** The smallest refused amount of each kind. Until `#refusedUntilMs` that much or more is refused without a query. */
  #refused: Amounts<Name>
  #refusedUntilMs: Amounts<Name>
  /** Until this time no portion is taken in advance, because none is available. */
  #scarceUntilMs = 0
  #ended = false

  constructor(options: AllowanceOptions<Name, Limited>, key: UserKey) {
    this.#options = options
    this.#key = key
    this.#names = Object.keys(options.table.columns) as Name[]
    this.#portion = options.firstPortion
    this.#left = this.#each(() => 0)
    this.#refused = this.#each(() => Number.POSITIVE_INFINITY)
    this.#refusedUntilMs = this.#each(() => 0)
  }

  /** Spends from memory. Returns false if too little is left; then call `take`. */
  spend(amounts: Amounts<Name>): boolean {
    const nowMs = this.#options.clock.nowMs()
    if (nowMs >= this.#dayEndMs) this.#beginDay(nowMs)
    const left = this.#left
    for (const name of this.#names) if (left[name] < amounts[name]) return false
    let isLow = false
    for (const name of this.#names) {
      left[name] -= amounts[name]
      if (left[name] * 4 < this.#portion[name]) isLow = true
    }
    this.#usedMs = nowMs
    // The next portion is fetched before this one is used up; a request that needs more before it arrives has to wait.
    if (isLow) this.#prefetch(nowMs)
    return true
  }

  /** Spends, and takes a portion from the database when needed. Returns false if the day's limit does not allow it. Throws if the database fails. */
  async take(amounts: Amounts<Name>): Promise<boolean> {
    while (!this.spend(amounts)) {
      if (this.#isRefused(amounts)) return false
      this.#taking ??= this.#take(amounts).finally(() => {
        this.#taking = undefined
      })
      await this.#taking
    }
    return true
  }

  /** Announces that something will be spent soon: if nothing is left, a portion is taken in the background. */
  prefetchIfEmpty(): void {
    const nowMs = this.#options.clock.nowMs()
    if (nowMs >= this.#dayEndMs) this.#beginDay(nowMs)
    if (this.#names.some((name) => this.#left[name] === 0)) this.#prefetch(nowMs)
  }

  /** Takes back an amount that was spent but then not used. */
  refund(amounts: Partial<Amounts<Name>>): void {
    if (this.#options.clock.nowMs() >= this.#dayEndMs) return
    for (const name of this.#names) this.#left[name] += amounts[name] ?? 0
  }

  /** Unix milliseconds of the next midnight (UTC). */
  get dayEndMs(): number {
    return this.#dayEndMs
  }

  isIdle(nowMs: number): boolean {
    return nowMs - this.#usedMs >= idleMs && nowMs - this.#takenMs >= idleMs && !this.#taking
  }

  /** Resolves when no portion is being taken. */
  async settled(): Promise<void> {
    await this.#taking?.catch(() => undefined)
  }

  /** Returns what is to be given back. Afterwards each request takes exactly what it needs, and nothing in advance. */
  end(): UnusedPortion<Name>[] {
    this.#ended = true
    this.#putAside()
    return this.#unusedPortions.splice(0)
  }

  #each(of: (name: Name) => number): Amounts<Name> {
    const amounts = {} as Amounts<Name>
    for (const name of this.#names) amounts[name] = of(name)
    return amounts
  }

  #isRefused(amounts: Amounts<Name>): boolean {
    const nowMs = this.#options.clock.nowMs()
    return this.#names.some(
      (name) => amounts[name] >= this.#refused[name] && nowMs < this.#refusedUntilMs[name],
    )
  }

  #beginDay(nowMs: number): void {
    this.#putAside()
    const startMs = Math.floor(nowMs / dayMs) * dayMs
    this.#day = new Date(startMs).toISOString().slice(0, 10)
    this.#dayEndMs = startMs + dayMs
    this.#refusedUntilMs = this.#each(() => 0)
    this.#scarceUntilMs = 0
  }

  #putAside(): void {
    if (this.#names.some((name) => this.#left[name] > 0))
      this.#unusedPortions.push({ ...this.#key, day: this.#day, left: this.#left })
    this.#left = this.#each(() => 0)
  }

  #prefetch(nowMs: number): void {
    if (this.#taking || this.#ended || nowMs < this.#scarceUntilMs) return
    this.#taking = this.#take(this.#each(() => 1))
      .catch((error: unknown) => {
        this.#scarceUntilMs = nowMs + refusalMs
        this.#options.log.warn({ err: error }, 'no allowance could be taken in advance; it is tried again')
      })
      .finally(() => {
        this.#taking = undefined
      })
  }

  async #take(amounts: Amounts<Name>): Promise<void> {
    const { clock, db, table, limitsOf, firstPortion } = this.#options
    const nowMs = clock.nowMs()
    if (nowMs >= this.#dayEndMs) this.#beginDay(nowMs)
    const day = this.#day
    const isBusy = nowMs - this.#takenMs < idleMs
    this.#takenMs = nowMs
    const wanted = this.#ended ? amounts : isBusy ? this.#twice() : firstPortion
    const cutAll = (left: Amounts<Name>): Amounts<Name> =>
      this.#each((name) => cut(left[name], amounts[name] - this.#left[name], wanted[name] - this.#left[name]))
    const over = this.#unusedPortions.splice(0)
    const taken = await takePortion(db, table, { ...this.#key, day, limitsOf, cut: cutAll })
    if (over.length > 0) await giveBack(db, table, over)
    const portion = taken ?? this.#each(() => 0)
    this.#keep(portion, day)
    this.#portion = wanted
    if (this.#names.some((name) => portion[name] === 0 && this.#left[name] < wanted[name]))
      this.#scarceUntilMs = nowMs + refusalMs
    for (const name of this.#names) if (this.#left[name] < amounts[name]) this.#refuse(name, amounts, nowMs)
  }

  #refuse(name: Name, amounts: Amounts<Name>, nowMs: number): void {
    const stands = nowMs < this.#refusedUntilMs[name]
    this.#refused[name] = stands ? Math.min(amounts[name], this.#refused[name]) : amounts[name]
    this.#refusedUntilMs[name] = nowMs + refusalMs
  }

  /** Keeps a new portion; if its day has ended meanwhile, it is to be given back. */
  #keep(portion: Amounts<Name>, day: string): void {
    if (day === this.#day) for (const name of this.#names) this.#left[name] += portion[name]
    else this.#unusedPortions.push({ ...this.#key, day, left: portion })
  }

  #twice(): Amounts<Name> {
    const { largestPortion } = this.#options
    return this.#each((name) => Math.min(this.#portion[name] * 2, largestPortion[name]))
  }
}

/**
 * Cuts a portion from what is left: at least `needed`, or 0 if that much is not left; at most `wanted`, and near the day's limit an eighth of what is
 * left, so that each process gets some.
 */
function cut(left: number, needed: number, wanted: number): number {
  if (needed > left) return 0
  return Math.max(0, needed, Math.min(wanted, Math.ceil(left / 8)))
}
