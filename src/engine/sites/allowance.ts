/**
 * What a site may send its visitors in a day (UTC). A process takes portions of it in a transaction and spends them from memory, so that no
 * limit is exceeded by however many processes, and a request costs no statement. What lies unused for a minute is given back.
 */
import type { App } from '#app'
import type { Log } from '#platform/log'
import { type Allowance, giveBack, takePortion, type Unused } from './serving-store.ts'
import type { SiteKey } from './store.ts'

const dayMs = 24 * 60 * 60 * 1000
const idleMs = 60_000
const sweepMs = 15_000
/** The first portion; it doubles while portions are used up within a minute. */
const firstPortion: Allowance = { requests: 20, bytes: 1_000_000 }
/** A refusal is believed for this long: a flood of visitors costs no transactions, and a raised limit counts soon. */
const refusalMs = 5_000

export type AllowanceSource = Pick<App, 'clock' | 'db'> & {
  log: Log
  /** The limits of a site; `own` are those that the operator has set for it alone. */
  limitsOf: (own: Record<string, number>) => Allowance
}

/** The allowances of all sites that are visited here. Disposing it gives back what is unused. */
export class Allowances implements AsyncDisposable {
  readonly #source: AllowanceSource
  readonly #sites = new Map<string, SiteAllowance>()
  readonly #timer: NodeJS.Timeout

  constructor(source: AllowanceSource) {
    this.#source = source
    this.#timer = setInterval(() => void this.sweep(), sweepMs).unref()
  }

  of(site: SiteKey): SiteAllowance {
    let found = this.#sites.get(site.siteId)
    if (!found) {
      found = new SiteAllowance(this.#source, site)
      this.#sites.set(site.siteId, found)
    }
    return found
  }

  /** Gives back what was not used for a minute; such a site takes no memory afterwards. */
  async sweep(): Promise<void> {
    const nowMs = this.#source.clock.nowMs()
    const unused: Unused[] = []
    for (const [siteId, allowance] of this.#sites) {
      if (!allowance.isIdle(nowMs)) continue
      this.#sites.delete(siteId)
      unused.push(...allowance.end())
    }
    await this.#giveBack(unused)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#sites.values()].map((allowance) => allowance.settled()))
    const unused = [...this.#sites.values()].flatMap((allowance) => allowance.end())
    this.#sites.clear()
    await this.#giveBack(unused)
  }

  /** If it fails the portions count as used: less is sent, never more. */
  async #giveBack(unused: Unused[]): Promise<void> {
    if (unused.length === 0) return
    try {
      await giveBack(this.#source.db, unused)
    } catch (error) {
      this.#source.log.warn(
        { err: error, sites: unused.length },
        'unused allowances of sites were not given back',
      )
    }
  }
}

export class SiteAllowance {
  readonly #source: AllowanceSource
  readonly #site: SiteKey
  #day = ''
  #dayEndMs = 0
  #left: Allowance = { requests: 0, bytes: 0 }
  /** Of earlier days, to be given back. */
  readonly #over: Unused[] = []
  #portion = firstPortion
  #takenMs = Number.NEGATIVE_INFINITY
  #usedMs = Number.NEGATIVE_INFINITY
  #taking: Promise<void> | undefined
  /** What was refused, until when it is not asked for again. */
  #refused = { bytes: Number.POSITIVE_INFINITY, untilMs: 0 }
  /** Until when no portion is taken in advance: there is none to be had. */
  #scarceUntilMs = 0
  #ended = false

  constructor(source: AllowanceSource, site: SiteKey) {
    this.#source = source
    this.#site = site
  }

  /** Spends one request and its bytes from memory. False: `take` must be asked. */
  spend(bytes: number): boolean {
    const nowMs = this.#source.clock.nowMs()
    if (nowMs >= this.#dayEndMs) this.#beginDay(nowMs)
    const left = this.#left
    if (left.requests < 1 || left.bytes < bytes) return false
    left.requests--
    left.bytes -= bytes
    this.#usedMs = nowMs
    // The next portion comes before this one ends; whoever needs it earlier waits.
    if (left.requests * 4 < this.#portion.requests || left.bytes * 4 < this.#portion.bytes)
      this.#prefetch(nowMs)
    return true
  }

  /** Spends one request and its bytes, taking what they need. False: the day's limit does not allow it. Throws if the database fails. */
  async take(bytes: number): Promise<boolean> {
    while (!this.spend(bytes)) {
      const nowMs = this.#source.clock.nowMs()
      if (bytes >= this.#refused.bytes && nowMs < this.#refused.untilMs) return false
      this.#taking ??= this.#take(bytes).finally(() => {
        this.#taking = undefined
      })
      await this.#taking
    }
    return true
  }

  /** Bytes that were spent and then not sent. */
  refund(bytes: number): void {
    if (this.#source.clock.nowMs() < this.#dayEndMs) this.#left.bytes += bytes
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

  /** What is to be given back; from here on every request takes for itself. */
  end(): Unused[] {
    this.#ended = true
    this.#putAside()
    return this.#over.splice(0)
  }

  #beginDay(nowMs: number): void {
    this.#putAside()
    const startMs = Math.floor(nowMs / dayMs) * dayMs
    this.#day = new Date(startMs).toISOString().slice(0, 10)
    this.#dayEndMs = startMs + dayMs
    this.#refused.untilMs = 0
    this.#scarceUntilMs = 0
  }

  #putAside(): void {
    if (this.#left.requests > 0 || this.#left.bytes > 0)
      this.#over.push({ ...this.#site, day: this.#day, ...this.#left })
    this.#left = { requests: 0, bytes: 0 }
  }

  #prefetch(nowMs: number): void {
    if (this.#taking || this.#ended || nowMs < this.#scarceUntilMs) return
    this.#taking = this.#take(1)
      .catch((error: unknown) => {
        this.#scarceUntilMs = nowMs + refusalMs
        this.#source.log.warn(
          { err: error },
          'no allowance of a site could be taken in advance; it is tried again',
        )
      })
      .finally(() => {
        this.#taking = undefined
      })
  }

  async #take(bytes: number): Promise<void> {
    const { clock, db, limitsOf } = this.#source
    const nowMs = clock.nowMs()
    if (nowMs >= this.#dayEndMs) this.#beginDay(nowMs)
    const day = this.#day
    const isBusy = nowMs - this.#takenMs < idleMs
    this.#takenMs = nowMs
    const wanted = this.#ended ? { requests: 1, bytes } : isBusy ? twice(this.#portion) : firstPortion
    const missing = (left: Allowance): Allowance => ({
      requests: cut(left.requests, 1 - this.#left.requests, wanted.requests - this.#left.requests),
      bytes: cut(left.bytes, bytes - this.#left.bytes, wanted.bytes - this.#left.bytes),
    })
    const over = this.#over.splice(0)
    const portion = await takePortion(db, this.#site, day, limitsOf, missing)
    if (over.length > 0) await giveBack(db, over)
    this.#keep(portion ?? { requests: 0, bytes: 0 }, day)
    this.#portion = wanted
    const { requests = 0, bytes: portionBytes = 0 } = portion ?? {}
    if (
      (requests === 0 && this.#left.requests < wanted.requests) ||
      (portionBytes === 0 && this.#left.bytes < wanted.bytes)
    )
      this.#scarceUntilMs = nowMs + refusalMs
    if (this.#left.requests < 1) this.#refuse(0, nowMs)
    else if (this.#left.bytes < bytes) this.#refuse(bytes, nowMs)
  }

  #refuse(bytes: number, nowMs: number): void {
    const stands = nowMs < this.#refused.untilMs
    this.#refused = {
      bytes: stands ? Math.min(bytes, this.#refused.bytes) : bytes,
      untilMs: nowMs + refusalMs,
    }
  }

  /** The day may have ended meanwhile, or this allowance. */
  #keep(portion: Allowance, day: string): void {
    if (day === this.#day) {
      this.#left.requests += portion.requests
      this.#left.bytes += portion.bytes
    } else this.#over.push({ ...this.#site, day, ...portion })
  }
}

const twice = ({ requests, bytes }: Allowance): Allowance => ({
  requests: Math.min(requests * 2, 20_000),
  bytes: Math.min(bytes * 2, 256_000_000),
})

/** At least what is needed, else nothing; at most what is wanted, and of the last of a day an eighth, so that each process gets some. */
function cut(left: number, needed: number, wanted: number): number {
  if (needed > left) return 0
  return Math.max(0, needed, Math.min(wanted, Math.ceil(left / 8)))
}
