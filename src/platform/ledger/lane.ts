/**
 * A lane runs one statement at a time; operations that wait meanwhile are sent in the next. Every operation carries its own id, so a statement whose
 * COMMIT reply was lost is simply sent again.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { type HoldOp, isRetryable, type OpResult, type SettleOp, serializeOps } from './commit-ops.ts'
import { databaseAwayFailure, type WaitingHold, WaitingHolds } from './waiting-holds.ts'

export interface WaitingSettle {
  op: SettleOp
  resolve: (result: OpResult) => void
  dueMs: number
}

/** The operations of one statement. */
interface BatchOperations {
  settles: WaitingSettle[]
  holds: WaitingHold[]
}

interface Batch extends BatchOperations {
  results: Promise<OpResult[]>
}

export interface CommitterOptions {
  db: Db
  clock: Clock
  log: Log
  thresholdsPercent: readonly number[]
  metrics?: Metrics | undefined
  /** The time after which a hold that the database has not taken is refused; 5 s if absent. */
  holdTimeoutMs?: number | undefined
}

export interface LaneOptions extends CommitterOptions {
  /** Whether the lane's statements wait for accounts that are locked. */
  mayWait: boolean
  /** Undoes a hold whose caller has given up. */
  undo(op: HoldOp): void
  /** Undoes a hold that a lost statement may still take. */
  undoLate(op: HoldOp): void
  /** Accept operations of an account that is locked. */
  moveHold?(hold: WaitingHold): void
  moveSettle?(settle: WaitingSettle): void
  emptied?(lane: Lane): void
}

const batchSize = 256
/**
 * A settlement that no caller waits for is delayed a little to be batched: many in one statement cost little more than one, and holds, for which
 * callers wait, go first.
 */
const lingerMs = 10
/**
 * Turns of the event loop between a group of holds and the next, so that calls that are already here can join. A statement and its commit cost as
 * much as thirty operations, so larger groups serve more calls.
 */
const joinTurns = 5
const firstPauseMs = 50
const maxPauseMs = 1000

const commit = {
  name: 'ledger.commit',
  text: 'select * from ledger.commit($1::json, $2::json, $3::uuid[], $4, $5, $6)',
}

export class Lane {
  readonly #options: LaneOptions
  readonly #holds: WaitingHolds
  readonly #settles: WaitingSettle[] = []
  #busy = false
  #closing = false
  #closed = false
  #linger: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(options: LaneOptions) {
    this.#options = options
    this.#holds = new WaitingHolds(options.holdTimeoutMs)
  }

  get waitingHolds(): number {
    return this.#holds.length
  }

  get waitingSettles(): number {
    return this.#settles.length
  }

  /** Adds a hold. `lost` means that an earlier statement may still take it. */
  hold(op: HoldOp, lost: boolean, resolve: (result: OpResult) => void, reject: (error: Error) => void): void {
    this.#holds.add({ op, resolve, reject, lost })
    this.#flushWhenDue()
  }

  settle(op: SettleOp, urgent: boolean, resolve: (result: OpResult) => void): void {
    this.addSettle({ op, resolve, dueMs: urgent ? 0 : performance.now() + lingerMs })
  }

  /** Adds a hold of another lane unchanged. */
  addHold(hold: WaitingHold): void {
    this.#holds.putBack([hold])
    this.#flushWhenDue()
  }

  addSettle(settle: WaitingSettle): void {
    // Urgent settlements go first, since only the first of the queue is checked for being due.
    if (settle.dueMs === 0) this.#settles.unshift(settle)
    else this.#settles.push(settle)
    this.#flushWhenDue()
  }

  /** Resolves when everything accepted so far is durable, or after `maxMs`; from now on nothing is delayed for a batch. */
  async drain(maxMs: number): Promise<void> {
    this.#closing = true
    if (this.#holds.length + this.#settles.length === 0 && !this.#busy) return
    const done = new Promise<void>((resolve) => this.#idle.push(resolve))
    const late = new Promise<void>((resolve) => setTimeout(resolve, maxMs).unref())
    this.#flushWhenDue()
    await Promise.race([done, late])
  }

  /** Drains the lane; nothing is sent afterwards. */
  async close(maxMs: number): Promise<void> {
    await this.drain(maxMs)
    this.#closed = true
    this.#holds.close()
    clearTimeout(this.#linger)
  }

  #settlesAreDue(): boolean {
    const [first] = this.#settles
    if (!first) return false
    return this.#closing || this.#settles.length >= batchSize || first.dueMs <= performance.now()
  }

  #flushWhenDue(): void {
    if (this.#busy || this.#closed) return
    const [settle] = this.#settles
    if (this.#holds.length > 0 || this.#settlesAreDue()) void this.#flush()
    else if (settle)
      this.#linger ??= setTimeout(() => this.#lingerEnded(), Math.max(0, settle.dueMs - performance.now()))
  }

  #lingerEnded(): void {
    this.#linger = undefined
    this.#flushWhenDue()
  }

  async #flush(): Promise<void> {
    this.#busy = true
    let pauseMs = firstPauseMs
    let batch = this.#sendNext()
    while (batch) {
      const sent = batch
      try {
        batch = await this.#finish(sent)
        pauseMs = firstPauseMs
      } catch (error) {
        if (isRetryable(error)) {
          this.#requeue(sent, error)
          await pause(pauseMs)
          pauseMs = Math.min(pauseMs * 2, maxPauseMs)
        } else {
          this.#holds.remove(sent.holds)
          this.#dropBroken(sent, error)
        }
        batch = this.#sendNext()
      }
    }
    this.#busy = false
    this.#flushWhenDue()
    if (this.#holds.length + this.#settles.length === 0) this.#options.emptied?.(this)
    for (const wake of this.#idle) wake()
    this.#idle = []
  }

  /** Waits for the results of a batch, delivers them and sends the next batch, which it returns. */
  async #finish(batch: Batch): Promise<Batch | undefined> {
    const results = await batch.results
    this.#holds.remove(batch.holds)
    // Results are delivered before the next batch is sent, so that refused holds are undone before new operations need their keys or credits.
    this.#deliver(batch, results)
    if (batch.holds.length > 1) for (let turn = 0; turn < joinTurns; turn++) await nextTurn()
    return this.#sendNext()
  }

  /** Sends everything that is due, settlements with the holds; undefined if nothing is due. */
  #sendNext(): Batch | undefined {
    if (this.#closed || (this.#holds.length === 0 && !this.#settlesAreDue())) return undefined
    const holds = this.#holds.next(batchSize)
    const settles = this.#settlesAreDue() ? this.#settles.splice(0, batchSize) : []
    const results = this.#send({ settles, holds })
    // `#finish` awaits this later; until then a rejection must not count as unhandled.
    results.catch(() => {})
    return { settles, holds, results }
  }

  /** Sends a load. Returns only the results that differ from what was requested. */
  async #send({ settles, holds }: BatchOperations): Promise<OpResult[]> {
    const { db, clock, thresholdsPercent, metrics, mayWait } = this.#options
    const accounts = new Set<string>()
    for (const { op } of settles) accounts.add(op.account_id)
    for (const { op } of holds) accounts.add(op.account_id)
    const sentMs = performance.now()
    const results = await db.query<OpResult>(commit, [
      settles.length > 0 ? serializeOps(settles, 0) : null,
      holds.length > 0 ? serializeOps(holds, settles.length) : null,
      [...accounts],
      mayWait,
      new Date(clock.nowMs()),
      thresholdsPercent,
    ])
    metrics?.ledgerCommitSeconds.observeSince(sentMs)
    metrics?.ledgerBatch.observe(settles.length + holds.length)
    return results
  }

  #deliver({ settles, holds }: BatchOperations, results: readonly OpResult[]): void {
    const resultsBySeq =
      results.length > 0 ? new Map(results.map((result) => [result.seq, result])) : undefined
    for (const [at, settle] of settles.entries()) this.#deliverSettle(settle, resultsBySeq?.get(at))
    for (const [at, hold] of holds.entries()) this.#deliverHold(hold, resultsBySeq?.get(settles.length + at))
  }

  #deliverSettle(settle: WaitingSettle, result: OpResult | undefined): void {
    if (result?.outcome === 'busy') this.#options.moveSettle!(settle)
    else settle.resolve(result ?? expectedResult('settled', settle.op.receipt_id, settle.op.actual, 0n))
  }

  #deliverHold(hold: WaitingHold, reported: OpResult | undefined): void {
    if (reported?.outcome === 'busy') {
      this.#options.moveHold!(hold)
      return
    }
    const result = reported ?? expectedResult('held', hold.op.receipt_id, hold.op.amount, null)
    // The hold was taken by a commit whose reply was lost, and was swept before it was sent again.
    const swept = result.outcome === 'claimed' && result.receipt_id === hold.op.receipt_id
    if (swept || (hold.refused && result.outcome === 'held')) this.#options.undo(hold.op)
    else if (hold.lost && result.outcome !== 'held') this.#options.undoLate(hold.op)
    if (swept) hold.reject(databaseAwayFailure())
    else hold.resolve(result)
  }

  #requeue({ settles, holds }: BatchOperations, error: unknown): void {
    for (const hold of holds) hold.lost = true
    this.#settles.unshift(...settles)
    this.#options.log.warn(
      { err: error, holds: this.#holds.length, settles: this.#settles.length },
      'ledger commit failed; it is sent again',
    )
  }

  /**
   * A batch that the database refuses for good (a defect of the program) must not stop all others: each operation is sent alone, and only the broken
   * one is rejected.
   */
  #dropBroken(load: BatchOperations, error: unknown): void {
    const alone = [
      ...load.settles.map((one) => ({ settles: [one], holds: [] })),
      ...load.holds.map((one) => ({ settles: [], holds: [one] })),
    ]
    if (alone.length === 1) this.#failLoad(load, error)
    else for (const one of alone) void this.#sendAlone(one)
  }

  async #sendAlone(load: BatchOperations): Promise<void> {
    try {
      this.#deliver(load, await this.#send(load))
    } catch (error) {
      if (!isRetryable(error)) return this.#failLoad(load, error)
      for (const one of load.holds) one.lost = true
      this.#settles.unshift(...load.settles)
      this.#holds.putBack(load.holds)
      this.#flushWhenDue()
    }
  }

  #failLoad({ settles, holds }: BatchOperations, error: unknown): void {
    this.#options.log.error(
      { err: error, settle: settles[0]?.op.receipt_id, hold: holds[0]?.op.receipt_id },
      'the ledger refused an operation; the sweeper will end its hold',
    )
    for (const one of holds) one.reject(error as Error)
    for (const one of settles)
      one.resolve({ seq: 0, outcome: 'gone', receipt_id: null, scope: null, need: 0n, have: 0n })
  }
}

const expectedResult = (
  outcome: 'held' | 'settled',
  receiptId: string,
  need: bigint,
  have: bigint | null,
): OpResult => ({ seq: 0, outcome, receipt_id: receiptId, scope: null, need, have })
