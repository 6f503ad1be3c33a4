/** Holds that wait for a commit, in order. Their callers do not wait long if the database is away. */
import { Failure } from '#platform/errors'
import type { HoldOp, OpResult } from './commit-ops.ts'

export interface WaitingHold {
  op: HoldOp
  resolve: (result: OpResult) => void
  reject: (error: Error) => void
  deadlineMs: number
  sent: boolean
  /** True if the hold was sent on a connection that broke: the server may still carry it out, later than statements that were sent after it. */
  lost: boolean
  /** True if its caller was answered 503; what was sent of it is undone later. */
  refused: boolean
}

const usualTimeoutMs = 5_000

export class WaitingHolds {
  readonly #timeoutMs: number
  readonly #queue: WaitingHold[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(timeoutMs = usualTimeoutMs) {
    this.#timeoutMs = timeoutMs
  }

  get length(): number {
    return this.#queue.length
  }

  add(hold: Pick<WaitingHold, 'op' | 'resolve' | 'reject' | 'lost'>): void {
    this.#queue.push({ ...hold, sent: false, refused: false, deadlineMs: Date.now() + this.#timeoutMs })
    this.#watchTimeouts()
  }

  /**
   * The next holds to be sent; they stay in the queue until they are removed. Refused holds, which are the oldest, are sent before all others:
   * undoing them frees claims and credits for the others.
   */
  next(max: number): WaitingHold[] {
    const live = this.#queue.findIndex(({ refused }) => !refused)
    const holds = this.#queue.slice(0, live > 0 ? Math.min(live, max) : max)
    for (const hold of holds) hold.sent = true
    return holds
  }

  /** Removes the holds that `next` returned last, once the database has decided them. */
  remove(sent: readonly WaitingHold[]): void {
    this.#queue.splice(0, sent.length)
  }

  /** Adds holds that were removed and have to be sent again. */
  putBack(holds: readonly WaitingHold[]): void {
    this.#queue.push(...holds)
    this.#watchTimeouts()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Refuses holds that have waited too long. Those never sent are dropped; those that were sent are undone when the database answers. */
  #refuseLate(): void {
    this.#timer = undefined
    const now = Date.now()
    for (const hold of [...this.#queue]) {
      if (hold.refused || hold.deadlineMs > now) continue
      hold.refused = true
      if (!hold.sent) this.#queue.splice(this.#queue.indexOf(hold), 1)
      hold.reject(databaseAwayFailure())
    }
    this.#watchTimeouts()
  }

  #watchTimeouts(): void {
    if (this.#timer || this.#queue.length === 0) return
    this.#timer = setTimeout(() => this.#refuseLate(), this.#timeoutMs / 10)
    this.#timer.unref()
  }
}

export const databaseAwayFailure = (): Failure =>
  new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000 })
