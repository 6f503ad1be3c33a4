/**
 * Group commit: what waits while one commit is under way travels in the next, in one statement with a result for each.
 * Every operation carries its own id, so a statement whose COMMIT reply was lost is simply sent again.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { type HoldOp, isRetryable, type OpResult, type SettleOp, serializeOps, undoOf } from './commit-ops.ts'
import { LateUndos } from './late-undos.ts'
import { databaseAway, type WaitingHold, WaitingHolds } from './waiting-holds.ts'

interface WaitingSettle {
  op: SettleOp
  resolve: (result: OpResult) => void
  dueMs: number
}

/** What one statement carries. */
interface Load {
  settles: WaitingSettle[]
  holds: WaitingHold[]
}

interface Batch extends Load {
  results: Promise<OpResult[]>
}

export interface CommitterOptions {
  db: Db
  clock: Clock
  log: Log
  thresholdsPercent: readonly number[]
  metrics?: Metrics | undefined
}

const batchSize = 256
/**
 * A settlement that no caller waits for is delayed a little to be batched: many in one statement cost little more than one, and holds,
 * which callers wait for, go first.
 */
const lingerMs = 10
const firstPauseMs = 50
const maxPauseMs = 1000

const apply = { name: 'ledger.apply', text: 'select * from ledger.apply($1::json, $2::json, $3, $4)' }

export class Committer {
  readonly #options: CommitterOptions
  readonly #holds = new WaitingHolds()
  readonly #settles: WaitingSettle[] = []
  readonly #lateUndos = new LateUndos((op) => this.#undo(op))
  #busy = false
  #closing = false
  #closed = false
  #linger: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(options: CommitterOptions) {
    this.#options = options
    options.metrics?.ledgerQueue.from(() => [
      [{ kind: 'hold' }, this.#holds.length],
      [{ kind: 'settle' }, this.#settles.length],
    ])
  }

  /** Rejects with SERVICE_UNAVAILABLE when the database did not take it in time; then it is undone as soon as it answers. */
  hold(op: HoldOp): Promise<OpResult> {
    return new Promise((resolve, reject) => {
      this.#holds.add({ op, resolve, reject, lost: this.#lateUndos.cancel(op.hold_id) })
      this.#flushWhenDue()
    })
  }

  /** Never rejects: sent again until the database has it. `urgent` is sent without that delay. */
  settle(op: SettleOp, urgent: boolean): Promise<OpResult> {
    return new Promise((resolve) => this.#addSettle(op, resolve, urgent))
  }

  /** Resolves when everything accepted so far is durable, or after `drainMs`; nothing is sent after it. */
  async close(drainMs = 5000): Promise<void> {
    this.#closing = true
    this.#lateUndos.flush()
    if (this.#holds.length + this.#settles.length > 0 || this.#busy) {
      const done = new Promise<void>((resolve) => this.#idle.push(resolve))
      const late = new Promise<void>((resolve) => setTimeout(resolve, drainMs).unref())
      this.#flushWhenDue()
      await Promise.race([done, late])
    }
    this.#closed = true
    this.#holds.close()
    clearTimeout(this.#linger)
  }

  #addSettle(op: SettleOp, resolve: (result: OpResult) => void, urgent: boolean): void {
    const dueMs = urgent ? 0 : performance.now() + lingerMs
    // The urgent ones first, since only the first of the queue is looked at.
    if (urgent) this.#settles.unshift({ op, resolve, dueMs })
    else this.#settles.push({ op, resolve, dueMs })
    this.#flushWhenDue()
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
    for (const wake of this.#idle) wake()
    this.#idle = []
  }

  /** Waits for the results of a batch, sends the next one and delivers the results; answers the next one. */
  async #finish(batch: Batch): Promise<Batch | undefined> {
    const results = await batch.results
    this.#holds.remove(batch.holds)
    // What was refused meanwhile is undone before anything new asks for its key or its credits.
    if (batch.holds.some(({ refused }) => refused)) {
      this.#deliver(batch, results)
      return this.#sendNext()
    }
    const next = this.#sendNext()
    // The callers of this batch would keep the next one from being written until all of them had done their work.
    if (next) await nextTurn()
    this.#deliver(batch, results)
    return next
  }

  /** What is due goes on its way, settlements with the holds; undefined when nothing is. */
  #sendNext(): Batch | undefined {
    if (this.#closed || (this.#holds.length === 0 && !this.#settlesAreDue())) return undefined
    const holds = this.#holds.next(batchSize)
    const settles = this.#settlesAreDue() ? this.#settles.splice(0, batchSize) : []
    const results = this.#send({ settles, holds })
    // Read by `#finish`, maybe a moment after it has failed.
    results.catch(() => {})
    return { settles, holds, results }
  }

  async #send({ settles, holds }: Load): Promise<OpResult[]> {
    const { db, clock, thresholdsPercent, metrics } = this.#options
    const sentMs = performance.now()
    const results = await db.query<OpResult>(apply, [
      serializeOps(settles, 0),
      serializeOps(holds, settles.length),
      new Date(clock.nowMs()),
      thresholdsPercent,
    ])
    metrics?.ledgerCommitSeconds.since(sentMs)
    metrics?.ledgerBatch.observe(settles.length + holds.length)
    return results
  }

  #deliver({ settles, holds }: Load, results: OpResult[]): void {
    for (const result of results) {
      if (result.seq < settles.length) settles[result.seq]!.resolve(result)
      else this.#deliverHold(holds[result.seq - settles.length]!, result)
    }
  }

  #deliverHold(hold: WaitingHold, result: OpResult): void {
    // It was taken by a commit whose reply was lost, and swept before we could ask again.
    const swept = result.outcome === 'claimed' && result.receipt_id === hold.op.receipt_id
    if (swept || (hold.refused && result.outcome === 'held')) this.#undo(hold.op)
    else if (hold.lost && result.outcome !== 'held') this.#lateUndos.add(hold.op)
    if (swept) hold.reject(databaseAway())
    else hold.resolve(result)
  }

  /** The caller was told 503, yet the hold is there: nothing was sent upstream for it, so it goes back whole. */
  #undo(op: HoldOp): void {
    this.#addSettle(undoOf(op), () => {}, true)
  }

  #requeue({ settles, holds }: Load, error: unknown): void {
    for (const hold of holds) hold.lost = true
    this.#settles.unshift(...settles)
    this.#options.log.warn(
      { err: error, holds: this.#holds.length, settles: this.#settles.length },
      'ledger commit failed; it is sent again',
    )
  }

  /** A batch that the database refuses for good (a defect of ours) must not stop all others: each is sent alone, and only the broken one is rejected. */
  #dropBroken(load: Load, error: unknown): void {
    const alone = [
      ...load.settles.map((one) => ({ settles: [one], holds: [] })),
      ...load.holds.map((one) => ({ settles: [], holds: [one] })),
    ]
    if (alone.length === 1) this.#failLoad(load, error)
    else for (const one of alone) void this.#sendAlone(one)
  }

  async #sendAlone(load: Load): Promise<void> {
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

  #failLoad({ settles, holds }: Load, error: unknown): void {
    this.#options.log.error(
      { err: error, settle: settles[0]?.op.receipt_id, hold: holds[0]?.op.receipt_id },
      'the ledger refused an operation; the sweeper will end its hold',
    )
    for (const one of holds) one.reject(error as Error)
    for (const one of settles)
      one.resolve({ seq: 0, outcome: 'gone', receipt_id: null, scope: null, need: 0n, have: 0n })
  }
}
