/**
 * Looks at a database while anybody works in it: what it may take of disk and time is held from outside, since whoever owns the database can
 * change every setting of their own sessions. A check at the end of a statement would be too late: one INSERT wrote 781 MB in 1.5 s.
 */
import type pg from 'pg'
import type { DatabaseSize, Measurement } from '../size.ts'
import { verdictOn } from './limits.ts'
import { cancel, type Look, look, rowsOf, terminate, type WatchedSession } from './sessions.ts'

export const lookEveryMs = 250
/** A watcher that sees nothing for so long cannot hold anything: then the server has to stop. */
const longestBlindMs = 5_000
/** What grows beyond the cap by this part of it is ended. */
const overshoot = 0.1
/** Where there is too much already: for what DELETE and VACUUM themselves write. */
const slackBytes = 1024 * 1024
const longestWalBytes = 512 * 1024 * 1024

/** What is measured is told so often, if it has changed. */
const tellEveryMs = 10_000
/** More than all sessions together need for what is in order. */
const longestTemporaryPart = 0.25
const leastTemporaryBytes = 64 * 1024 * 1024

export interface WatchOptions {
  /** Of the role `watcher`. */
  pool: pg.Pool
  size: Pick<DatabaseSize, 'diskBytes'>
  /** The server has this database only. */
  whole: boolean
  /** Called at each look; what it says beside the database. Nothing is to be written: the disk of the machine is short. */
  beside?: () => Promise<{ mustNotWrite: boolean }>
  /** Not at every look: when it begins or ceases to be full, and now and then. It does not throw. */
  measured(measurement: Measurement): void
  /** Nothing could be seen for too long. */
  blind(): void
}

export class DatabaseWatch implements Disposable {
  readonly #options: WatchOptions
  #working = 0
  /** Since the last look. */
  #hasWorked = false
  #isLooking = false
  #isClosed = false
  #seenAtMs = 0
  #mustNotWrite = false
  /** The least that was seen while it was beyond what is ended. */
  #floorBytes: number | undefined
  #before: Look | undefined
  #diskBytes: number
  #told: { measurement: Measurement; atMs: number } | undefined

  constructor(options: WatchOptions) {
    this.#options = options
    this.#diskBytes = options.size.diskBytes
  }

  /** From the next look on. */
  limitTo({ diskBytes }: Pick<DatabaseSize, 'diskBytes'>): void {
    this.#diskBytes = diskBytes
  }

  /** Nobody may write: the disk of the machine is short. */
  get mustNotWrite(): boolean {
    return this.#mustNotWrite
  }

  /** A connection is used until `rested`. */
  works(): void {
    this.#working++
    this.#hasWorked = true
    if (!this.#isLooking) void this.#lookOn()
  }

  rested(): void {
    this.#working--
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
  }

  async #lookOn(): Promise<void> {
    this.#isLooking = true
    this.#seenAtMs = performance.now()
    // The last look is after the last work.
    while (!this.#isClosed && (this.#working > 0 || this.#hasWorked)) {
      this.#hasWorked = false
      await this.#lookOnce()
      await new Promise<void>((resolve) => void setTimeout(resolve, lookEveryMs).unref())
    }
    this.#isLooking = false
  }

  async #lookOnce(): Promise<void> {
    const { pool, whole, beside, blind } = this.#options
    try {
      const [seen, { mustNotWrite }] = await Promise.all([
        look(pool, whole),
        beside?.() ?? { mustNotWrite: false },
      ])
      this.#seenAtMs = performance.now()
      this.#mustNotWrite = mustNotWrite
      if (this.#hasTooMuch(seen)) await terminate(pool, writersIn(seen))
      if (seen.temporaryBytes > this.#temporaryBytes()) await terminate(pool, computing(seen))
      await this.#endLong(seen.sessions)
      await this.#tell(seen.dataBytes)
    } catch {
      if (!this.#isClosed && performance.now() - this.#seenAtMs > longestBlindMs) blind()
    }
  }

  async #tell(diskBytes: number): Promise<void> {
    const now = performance.now()
    const isFull = diskBytes >= this.#diskBytes
    const { measurement: before, atMs = Number.NEGATIVE_INFINITY } = this.#told ?? {}
    const isNews = before?.isFull !== isFull
    if (!isNews && (now - atMs < tellEveryMs || before?.diskBytes === diskBytes)) return
    const measurement = { diskBytes, isFull, rows: await rowsOf(this.#options.pool) }
    this.#told = { measurement, atMs: now }
    this.#options.measured(measurement)
  }

  #temporaryBytes(): number {
    return Math.max(leastTemporaryBytes, this.#diskBytes * longestTemporaryPart)
  }

  /** Whether what writes is ended. Where there is too much, what makes it less goes on. */
  #hasTooMuch(seen: Look): boolean {
    const before = this.#before
    this.#before = seen
    if (this.#mustNotWrite || seen.walBytes > longestWalBytes) return true
    const bytes = seen.dataBytes
    if (bytes <= this.#diskBytes * (1 + overshoot)) {
      this.#floorBytes = undefined
      return false
    }
    if (this.#floorBytes === undefined) {
      this.#floorBytes = bytes
      return before !== undefined
    }
    this.#floorBytes = Math.min(this.#floorBytes, bytes)
    return bytes > this.#floorBytes + slackBytes
  }

  async #endLong(sessions: readonly WatchedSession[]): Promise<void> {
    const { pool } = this.#options
    const late = sessions.filter((session) => verdictOn(session) === 'cancelled')
    const lost = sessions.filter((session) => verdictOn(session) === 'ended')
    if (late.length > 0) await cancel(pool, late.map(pidOf))
    if (lost.length > 0) await terminate(pool, lost.map(pidOf))
  }
}

const pidOf = ({ pid }: WatchedSession): number => pid

const computing = ({ sessions }: Look): number[] => sessions.filter(({ isIdle }) => !isIdle).map(pidOf)

const writersIn = ({ sessions }: Look): number[] => sessions.filter(({ writes }) => writes).map(pidOf)
