/**
 * Looks at a database while anybody works in it: its disk and time are limited from outside, since the owner of the database can change every setting
 * of their own sessions. A check at the end of a statement would be too late: one INSERT wrote 781 MB in 1.5 s.
 */
import type pg from 'pg'
import type { DiskState } from '../databases.ts'
import type { DatabaseSize, Measurement } from '../size.ts'
import { sessionVerdict } from './limits.ts'
import {
  cancel,
  estimateRows,
  takeSample,
  terminate,
  type WatchedSession,
  type WatchSample,
} from './sessions.ts'

export const lookEveryMs = 250
/** The pause between looks while nobody works: PostgreSQL runs code of the app by itself, when it analyzes tables. */
const idleLookMs = 5_000
/** A watcher that sees nothing for this long cannot limit anything: then the server has to stop. */
const maxUnseenMs = 5_000
/** Sessions that write are ended where the data exceeds its limit by this part of it. */
const overshoot = 0.1
/** The growth allowed where there is too much already, for what DELETE and VACUUM themselves write. */
const slackBytes = 1024 * 1024
/** The growth allowed for the catalogues and log that TRUNCATE and DROP write while they make room. */
const makingRoomBytes = 8 * 1024 * 1024
const maxWalBytes = 512 * 1024 * 1024

/** The most bytes that one database comes to have on the disk, with its log. */
export const maxBytesOf = ({ diskBytes }: Pick<DatabaseSize, 'diskBytes'>): number =>
  Math.floor(diskBytes * (1 + overshoot)) + maxWalBytes

/**
 * The full part of the queue of notifications beyond which older transactions end: a session that listens keeps what others send there until its
 * transaction ends.
 */
const maxQueueShare = 0.5
const maxListeningMs = 2_000
/** How often measurements are reported, if they have changed. */
const reportEveryMs = 10_000
/** The part of the disk for temporary files: more than all sessions together need for legitimate work. */
const maxTemporaryShare = 0.25
const leastTemporaryBytes = 64 * 1024 * 1024

export interface WatchOptions {
  /** The pool of the role `watcher`. */
  pool: pg.Pool
  size: Pick<DatabaseSize, 'diskBytes'>
  /** The server has this database only. */
  hasOwnServer: boolean
  /** Called at each look for what is seen beside the database. `mustNotWrite`: the disk of the machine is short. */
  checkMachine?: () => Promise<{ mustNotWrite: boolean }>
  /** Called when the database begins or ceases to be full, and now and then, not at every look. It does not throw. */
  onMeasured(measurement: Measurement): void
  /** Called when nothing could be seen for too long. */
  onWatchLost(): void
}

export class DatabaseWatch implements Disposable {
  readonly #options: WatchOptions
  #working = 0
  /** Whether somebody has worked since the last look. */
  #hasWorked = false
  #isLooking = false
  #isClosed = false
  /** When the looks began to fail. */
  #unseenSinceMs: number | undefined
  #lookSoon: (() => void) | undefined
  #isMachineShort = false
  /** The size of the data at the last look. */
  #bytes: number | undefined
  /** The least size of the data that was seen since it reached its limit. */
  #leastBytes: number | undefined
  /** The size of data and log at the last look at which no session made room. */
  #restingBytes = 0
  #diskBytes: number
  #reported: { measurement: Measurement; atMs: number } | undefined

  constructor(options: WatchOptions) {
    this.#options = options
    this.#diskBytes = options.size.diskBytes
  }

  /** Changes the limit from the next look on. */
  limitTo({ diskBytes }: Pick<DatabaseSize, 'diskBytes'>): void {
    this.#diskBytes = diskBytes
  }

  /** The state of the disk at the last look. */
  get disk(): DiskState {
    if (this.#isMachineShort) return 'machine'
    if (this.#leastBytes === undefined) return 'free'
    return this.#hasGrown ? 'growing' : 'full'
  }

  /** Looks at the database, and returns the state of its disk. */
  async lookNow(): Promise<DiskState> {
    await this.#lookOnce()
    return this.disk
  }

  /** A connection is in use from this call until `connectionReleased`. */
  connectionAcquired(): void {
    this.#working++
    this.#hasWorked = true
    this.#lookSoon?.()
    if (!this.#isLooking) void this.#lookOn()
  }

  connectionReleased(): void {
    this.#working--
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#lookSoon?.()
  }

  async #lookOn(): Promise<void> {
    this.#isLooking = true
    while (!this.#isClosed) {
      this.#hasWorked = false
      await this.#lookOnce()
      await this.#pause(lookEveryMs)
      // The last of the frequent looks comes after the last work.
      if (this.#working === 0 && !this.#hasWorked && this.#unseenSinceMs === undefined)
        await this.#pause(idleLookMs)
    }
  }

  /** A long pause also ends when somebody works. */
  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms).unref()
    if (ms > lookEveryMs) this.#lookSoon = resolve
    await promise
    clearTimeout(timer)
    this.#lookSoon = undefined
  }

  async #lookOnce(): Promise<void> {
    const { pool, hasOwnServer, checkMachine, onWatchLost } = this.#options
    if (this.#isClosed) return
    try {
      const [sample, { mustNotWrite }] = await Promise.all([
        takeSample(pool, hasOwnServer),
        checkMachine?.() ?? { mustNotWrite: false },
      ])
      this.#unseenSinceMs = undefined
      this.#isMachineShort = mustNotWrite
      const spared = this.#makingRoom(sample)
      if (this.#hasTooMuch(sample)) await terminate(pool, writersIn(sample, spared))
      if (sample.temporaryBytes > this.#temporaryBytes()) await terminate(pool, computing(sample))
      if (sample.notifications > maxQueueShare) await terminate(pool, olderThan(maxListeningMs, sample))
      await this.#endLong(sample.sessions)
      await this.#report(sample.dataBytes)
    } catch {
      this.#unseenSinceMs ??= performance.now()
      if (!this.#isClosed && performance.now() - this.#unseenSinceMs > maxUnseenMs) onWatchLost()
    }
  }

  async #report(diskBytes: number): Promise<void> {
    const now = performance.now()
    const isFull = diskBytes >= this.#diskBytes
    const { measurement: before, atMs = Number.NEGATIVE_INFINITY } = this.#reported ?? {}
    const isNews = before?.isFull !== isFull
    if (!isNews && now - atMs < reportEveryMs) return
    const measurement = { diskBytes, isFull, rows: await estimateRows(this.#options.pool) }
    this.#reported = { measurement, atMs: now }
    if (isNews || before.diskBytes !== diskBytes || before.rows !== measurement.rows)
      this.#options.onMeasured(measurement)
  }

  #temporaryBytes(): number {
    return Math.max(leastTemporaryBytes, this.#diskBytes * maxTemporaryShare)
  }

  get #hasGrown(): boolean {
    return this.#bytes! > this.#leastBytes! + slackBytes
  }

  /** Whether the sessions that write are to be ended. Where there is too much data already, those that reduce it go on. */
  #hasTooMuch({ dataBytes, walBytes }: WatchSample): boolean {
    const before = this.#bytes
    const wasFull = this.#leastBytes !== undefined
    this.#bytes = dataBytes
    this.#leastBytes =
      dataBytes < this.#diskBytes ? undefined : Math.min(this.#leastBytes ?? dataBytes, dataBytes)
    if (this.#isMachineShort || walBytes > maxWalBytes) return true
    if (dataBytes <= this.#diskBytes * (1 + overshoot)) return false
    // At the first look nobody knows whether the data grows.
    return wasFull ? this.#hasGrown : before !== undefined
  }

  /**
   * The sessions that make room. They go on where there is too much data, unless the data grows meanwhile: by a trigger perhaps, or since an app only
   * claims to make room.
   */
  #makingRoom({ dataBytes, walBytes, sessions }: WatchSample): WatchedSession[] {
    const making = sessions.filter(({ writes, makesRoom }) => writes && makesRoom)
    const bytes = dataBytes + walBytes
    if (making.length === 0) this.#restingBytes = bytes
    return bytes > this.#restingBytes + makingRoomBytes ? [] : making
  }

  async #endLong(sessions: readonly WatchedSession[]): Promise<void> {
    const { pool } = this.#options
    const late = sessions.filter((session) => sessionVerdict(session) === 'cancelled')
    const lost = sessions.filter((session) => sessionVerdict(session) === 'ended')
    if (late.length > 0) await cancel(pool, late.map(pidOf))
    if (lost.length > 0) await terminate(pool, lost.map(pidOf))
  }
}

const pidOf = ({ pid }: WatchedSession): number => pid

const computing = ({ sessions }: WatchSample): number[] => sessions.filter(({ isIdle }) => !isIdle).map(pidOf)

const writersIn = ({ sessions }: WatchSample, spared: readonly WatchedSession[]): number[] =>
  sessions.filter((session) => session.writes && !spared.includes(session)).map(pidOf)

const olderThan = (maxMs: number, { sessions }: WatchSample): number[] =>
  sessions.filter(({ transactionMs }) => transactionMs > maxMs).map(pidOf)
