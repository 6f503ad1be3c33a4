/**
 * The processes that share one database: their heartbeats, and the sweeps after dead ones. Each writes a heartbeat; a process whose heartbeat is
 * older than the lease counts as dead, and its work (holds, jobs, deliveries) is given to other processes by their sweeps.
 */
import { randomUUID } from 'node:crypto'
import { type Repetition, repetitions, steadyClock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import * as store from './store.ts'

export { lapseIntervalSql } from './store.ts'

/** The process that judges whether others are alive. */
export type Judge = Pick<Processes, 'id' | 'leaseMs' | 'beatAt'>

export interface Processes extends AsyncDisposable {
  /** The id of this process, stored with work that depends on it; SQL checks it by `ledger.lives`. */
  readonly id: string
  /** A process without a heartbeat for this long counts as dead. */
  readonly leaseMs: number
  /**
   * The last heartbeat by which this process may judge others, by the clock of the database. For the length of a lease after a gap it is the
   * heartbeat before the gap.
   */
  readonly beatAt: Date
  /** Adds a function that runs at each sweep, in the order of their addition, and only while this process may judge whether others are alive. */
  afterSweep(work: () => Promise<unknown>): void
}

export interface ProcessesOptions {
  db: Db
  log: Log
  timing: { processLeaseMs: number; heartbeatMs: number; sweepMs: number }
}

/** Registers this process. Disposing it deregisters it. */
export async function joinProcesses(options: ProcessesOptions): Promise<Processes> {
  const id = randomUUID()
  const beatAt = await store.writeHeartbeat(options.db, id, options.timing.processLeaseMs)
  return new LivingProcess(id, beatAt, options)
}

class LivingProcess implements Processes {
  readonly id: string
  readonly leaseMs: number
  readonly #db: Db
  readonly #log: Log
  /**
   * The timeout of one heartbeat. It ends before the next heartbeat is due, which then uses a new connection: a connection that swallows a heartbeat
   * (a firewall dropped it, a peer vanished) costs one heartbeat, and two may be lost before the lease is.
   */
  readonly #timeoutMs: number
  readonly #repeated: readonly Repetition[]
  readonly #sweepWork: (() => Promise<unknown>)[] = []
  #beatAt: Date
  #lastHeartbeatMs = steadyClock.nowMs()
  /** Until this time others may still write the first heartbeat after a gap. */
  #gapUntilMs = 0
  /**
   * When this process may judge others again. After a gap in its own heartbeats (database unavailable, machine suspended, time before the start)
   * other processes may have had the same gap, and get the time for a heartbeat before they count as dead.
   */
  #judgesFromMs: number

  constructor(id: string, beatAt: Date, { db, log, timing }: ProcessesOptions) {
    this.id = id
    this.#beatAt = beatAt
    this.leaseMs = timing.processLeaseMs
    this.#db = db
    this.#log = log
    this.#timeoutMs = timing.heartbeatMs * 0.75
    this.#judgesFromMs = this.#lastHeartbeatMs + this.leaseMs
    const every = (ms: number, name: string, work: () => Promise<void>): Repetition =>
      repetitions.every(ms, name, () => work().catch((error: unknown) => this.#warn(name, error)))
    this.#repeated = [
      every(timing.heartbeatMs, 'heartbeat', () => this.#writeHeartbeat()),
      every(timing.sweepMs, 'sweep', () => this.#sweep()),
    ]
  }

  get beatAt(): Date {
    return this.#beatAt
  }

  afterSweep(work: () => Promise<unknown>): void {
    this.#sweepWork.push(work)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#repeated.map((one) => one.stop()))
    await store
      .deregister(this.#db, this.id, this.#timeoutMs)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the process could not sign off'))
  }

  async #writeHeartbeat(): Promise<void> {
    const beatAt = await store.writeHeartbeat(this.#db, this.id, this.#timeoutMs)
    const nowMs = steadyClock.nowMs()
    if (nowMs - this.#lastHeartbeatMs > this.leaseMs / 2) this.#gapUntilMs = nowMs + this.leaseMs
    this.#judgesFromMs = Math.max(this.#judgesFromMs, this.#gapUntilMs)
    this.#lastHeartbeatMs = nowMs
    if (nowMs >= this.#gapUntilMs) this.#beatAt = beatAt
  }

  async #sweep(): Promise<void> {
    // Each by itself: one that fails must not keep the others from what dead processes left, and one that hung makes this process judge anew.
    for (const work of this.#sweepWork)
      if (this.#mayJudge()) await work().catch((error: unknown) => this.#warn('sweep', error))
  }

  #warn(name: string, error: unknown): void {
    this.#log.warn(
      { err: error, work: name },
      'a heartbeat or a sweep of this process failed; it is tried again',
    )
  }

  #mayJudge(): boolean {
    const nowMs = steadyClock.nowMs()
    return nowMs >= this.#judgesFromMs && nowMs - this.#lastHeartbeatMs <= this.leaseMs / 2
  }
}
