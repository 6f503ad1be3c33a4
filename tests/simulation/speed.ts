/** Limits of rate and concurrency as a referee counts them: from what the ledger was asked and what it answered, never from its meters. */
import type { HoldOp, Limits, Outcome } from '../platform/ledger/model.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Sent } from './people.ts'

interface Count {
  /** Holds that are open. */
  open: Set<string>
  /** The second of each call begun since there is a rate. */
  begun: number[]
}

/** A hold that was refused for its speed. */
interface Refused {
  requestId: string
  processId: string | null
  meterId: string
  atMs: number
}

const scopes = ['account', 'project', 'key'] as const
/** A process goes by what it was told for a second, and what it is told is on its way for less than five, a pause of its own apart. */
const memoryMs = 6_000

export class Speed {
  readonly #database: SimulatedDatabase
  readonly #hold: (truth: boolean, what: string) => void
  readonly #nowMs: () => number
  readonly #counts = new Map<string, Count>()
  readonly #known = new Set<string>()
  readonly #refused: Refused[] = []
  #endingsSeen = 0

  constructor(
    database: SimulatedDatabase,
    nowMs: () => number,
    hold: (truth: boolean, what: string) => void,
  ) {
    this.#database = database
    this.#nowMs = nowMs
    this.#hold = hold
    database.onHold = (...asked) => this.#onHold(...asked)
  }

  #onHold(op: HoldOp, { outcome, scope, need }: Outcome, processId: string | null, atMs: number): void {
    this.#seeEndings()
    const second = Math.floor(atMs / 1_000)
    if (outcome === 'held' && !this.#known.has(op.id)) {
      this.#known.add(op.id)
      for (const name of scopes) this.#begun(op, op[name], second)
    }
    if (outcome !== 'limited') return
    const [whose, what] = scope!.split('_') as [(typeof scopes)[number], 'rate' | 'concurrency']
    const meterId = op[whose]
    this.#refused.push({ requestId: op.id, processId, meterId, atMs: this.#nowMs() })
    if (what === 'rate') this.#refusedForRate(op, meterId, second, need!)
    else {
      const { concurrency } = this.#limitsOf(meterId)
      const { size } = this.#countOf(meterId).open
      const truly = concurrency !== null && size >= concurrency
      this.#hold(truly, `${op.id} is refused with ${size} of ${concurrency} calls of ${meterId} under way`)
    }
  }

  #begun(op: HoldOp, meterId: string, second: number): void {
    const { ratePerMinute, concurrency } = this.#limitsOf(meterId)
    const count = this.#countOf(meterId)
    count.open.add(op.id)
    if (concurrency !== null)
      this.#hold(
        count.open.size <= concurrency,
        `${op.id} is call ${count.open.size} of ${concurrency} at once of ${meterId}`,
      )
    if (ratePerMinute === null) {
      count.begun.length = 0
      return
    }
    count.begun.push(notBefore(count, second))
    const begun = inTheMinute(count, second).length
    this.#hold(
      begun <= ratePerMinute,
      `${op.id} is call ${begun} of ${ratePerMinute} in a minute of ${meterId}`,
    )
  }

  #refusedForRate(op: HoldOp, meterId: string, second: number, waitMs: bigint): void {
    const { ratePerMinute } = this.#limitsOf(meterId)
    const count = this.#countOf(meterId)
    const begun = inTheMinute(count, second)
    this.#hold(
      ratePerMinute !== null && begun.length >= ratePerMinute,
      `${op.id} is refused with ${begun.length} of ${ratePerMinute} calls of ${meterId} in a minute`,
    )
    const wait = BigInt(begun[0]! + 60 - notBefore(count, second)) * 1_000n
    this.#hold(waitMs === wait, `${op.id} is told to wait ${waitMs} ms for ${meterId}, and it is ${wait}`)
  }

  /** Nobody is turned away but by the ledger, or by a process that was told so a moment ago. */
  atTheEnd(sent: readonly Sent[]): void {
    for (const { requestId, answer, process, meterIds, sentMs, endedMs } of sent) {
      if (answer?.kind !== 'failure' || !/^(RATE|CONCURRENCY)_LIMITED$/.test(answer.code)) continue
      const own = this.#refused.some((refused) => refused.requestId === requestId)
      const told = this.#refused.some(
        ({ processId, meterId, atMs }) =>
          processId === process.link.processId &&
          meterIds.includes(meterId) &&
          atMs <= endedMs! &&
          // It may be turned away as it comes, and room that it had reserved may be given back long after.
          Math.max(atMs, process.troubledMs) > sentMs - memoryMs,
      )
      this.#hold(
        own || (answer.code === 'RATE_LIMITED' && told),
        `${requestId} got ${answer.code}, which the ledger did not say`,
      )
    }
  }

  #seeEndings(): void {
    const { endings } = this.#database
    for (; this.#endingsSeen < endings.length; this.#endingsSeen++) {
      const { receiptId } = endings[this.#endingsSeen]!
      for (const { open } of this.#counts.values()) open.delete(receiptId)
    }
  }

  #limitsOf(meterId: string): Limits {
    return this.#database.model.meters.get(meterId)!
  }

  #countOf(meterId: string): Count {
    const count = this.#counts.get(meterId) ?? { open: new Set(), begun: [] }
    this.#counts.set(meterId, count)
    return count
  }
}

/** Time does not go back where the clocks of two processes disagree. */
const notBefore = ({ begun }: Count, second: number): number => Math.max(second, begun.at(-1) ?? second)

const inTheMinute = (count: Count, second: number): number[] =>
  count.begun.filter((begun) => begun > notBefore(count, second) - 60)
