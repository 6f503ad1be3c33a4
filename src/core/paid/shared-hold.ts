/**
 * One hold for several calls of a request that follow one another: each holds, charges and settles as if alone, and the whole hold is settled once.
 */
import type { Tx } from '#platform/db'
import type { Hold, HoldOptions, Ledger, Settlement, SettlementResult } from '#platform/ledger'
import type { RequestPart, SettlementCallback } from './paid-request.ts'

/** The settlement of a part, and what the part would write. */
export interface SettledPart {
  settlement: Settlement
  write: ((tx: Tx) => Promise<void>) | undefined
}

export interface SharedHoldOptions {
  /** The model of the request, as its hold names it. */
  model: string
  /** The most that all calls but the first may cost, in micro-credits. */
  otherCallsMicrocredits: bigint
  /** How many calls follow one another. */
  parts: number
}

export class SharedHold {
  readonly #ledger: Ledger
  readonly #options: SharedHoldOptions
  #hold: Hold | undefined
  readonly #parts: HoldPart[] = []
  readonly #ended: SettlementCallback[] = []

  constructor(ledger: Ledger, options: SharedHoldOptions) {
    this.#ledger = ledger
    this.#options = options
  }

  /** A part of the request, for the call that is this part. The first part that holds takes the hold of all of them. */
  part(id: string): RequestPart {
    return {
      id,
      hold: async (asked) => {
        const { parts, model, otherCallsMicrocredits: beside } = this.#options
        const microcredits = asked.microcredits + beside
        const lifetimeMs = parts * asked.lifetimeMs
        if (this.#hold) await this.#hold.renew(lifetimeMs)
        else this.#hold = await this.#ledger.hold({ ...asked, model, microcredits, lifetimeMs })
        const part = new HoldPart(this, asked, lifetimeMs)
        this.#parts.push(part)
        // This part may use what the parts before have left over.
        await this.change(lifetimeMs)
        return part
      },
      afterSettlement: (ended) => void this.#ended.push(ended),
    }
  }

  /** Adds what a call beside the parts has cost; the parts that follow have that much less. */
  spend(microcredits: bigint): void {
    this.#spent += microcredits
  }
  #spent = 0n

  get #total(): bigint {
    return this.#parts.reduce((sum, { taken }) => sum + taken, this.#spent)
  }

  /** Raises the whole hold where the parts together need more than it has. Throws as `Hold.change` does. */
  async change(lifetimeMs: number): Promise<void> {
    const total = this.#total
    if (total > this.#hold!.microcredits) await this.#hold!.change(total, lifetimeMs)
  }

  renew(lifetimeMs: number): Promise<void> {
    return this.#hold!.renew(lifetimeMs)
  }

  /** The settlements of the parts that have ended, in their order. */
  get settled(): SettledPart[] {
    return this.#parts.flatMap(({ end }) => end ?? [])
  }

  /**
   * Settles the whole hold, with what the parts would write in the same transaction unless `writes` is false. Throws as `Hold.settleWith` does; the
   * hold is then settled once more, without the writes.
   */
  async settle(settlement: Settlement, { writes }: { writes: boolean }): Promise<SettlementResult> {
    const all = writes ? this.settled.flatMap(({ write }) => write ?? []) : []
    const settled =
      all.length === 0
        ? await this.#hold!.settle(settlement)
        : await this.#hold!.settleWith(settlement, async (tx) => {
            for (const write of all) await write(tx)
          })
    for (const ended of this.#ended) await ended(writes)
    return settled
  }
}

/** The part of the shared hold that one call uses as its own hold. */
class HoldPart implements Hold {
  readonly receiptId: string
  end: SettledPart | undefined
  readonly #shared: SharedHold
  readonly #lifetimeMs: number
  #microcredits: bigint

  constructor(shared: SharedHold, { receiptId, microcredits }: HoldOptions, lifetimeMs: number) {
    this.receiptId = receiptId
    this.#shared = shared
    this.#microcredits = microcredits
    this.#lifetimeMs = lifetimeMs
  }

  get microcredits(): bigint {
    return this.#microcredits
  }
  /** The share of this part in the whole hold: what it holds, and once it has ended, what it used. */
  get taken(): bigint {
    return this.end ? this.end.settlement.microcredits : this.#microcredits
  }

  async change(microcredits: bigint): Promise<void> {
    const before = this.#microcredits
    this.#microcredits = microcredits
    try {
      await this.#shared.change(this.#lifetimeMs)
    } catch (error) {
      this.#microcredits = before
      throw error
    }
  }

  renew(): Promise<void> {
    return this.#shared.renew(this.#lifetimeMs)
  }

  settle(settlement: Settlement): Promise<SettlementResult> {
    return this.#settle({ settlement, write: undefined })
  }

  settleWith(settlement: Settlement, write: (tx: Tx) => Promise<void>): Promise<SettlementResult> {
    return this.#settle({ settlement, write })
  }

  async #settle(end: SettledPart): Promise<SettlementResult> {
    this.end = end
    const { microcredits, lostMicrocredits = 0n } = end.settlement
    return { chargedMicrocredits: microcredits - lostMicrocredits, lossMicrocredits: lostMicrocredits }
  }
}
