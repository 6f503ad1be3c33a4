/** A step of a call: the amount taken for it, the one paid call that it may be, and its end. */
import { type Cost, limitCost, storedCost } from '#core/models'
import type { RequestPart } from '#core/paid'
import type { Tx } from '#platform/db'
import type { Hold, HoldOptions, Settlement, SettlementResult } from '#platform/ledger'
import type { OpenStep, StepKind, StepLine } from '../parts.ts'
import { type StepFacts, storedLine } from './line.ts'
import type { StepEnd } from './step-store.ts'

/** What a step needs from the money of its call. */
export interface StepMoney {
  /** Takes this amount for the step from now on. Throws as `Hold.change` does; the step then keeps its former amount. */
  grow(step: CallStep, worst: bigint): Promise<void>
  /** Call when the step is over; its cost is written soon. */
  ended(step: CallStep, end: StepEnd): void
  /** Writes the step's cost in one transaction with `write`. */
  endedWith(end: StepEnd, write: (tx: Tx) => Promise<void>): Promise<void>
  /** Call when the step cost more than was taken for it; the rest is the platform's loss. */
  overran(step: CallStep): void
  /** Logs something that must not happen. */
  report(step: CallStep, what: string): void
}

export interface BegunFacts extends StepFacts {
  /** The position among the steps of the call. */
  position: number
  kind: StepKind
  model: string
  isAhead?: boolean | undefined
}

export class CallStep implements OpenStep {
  readonly facts: BegunFacts
  /** The amount taken for the step, in micro-credits. */
  worst: bigint
  readonly part: RequestPart
  readonly #money: StepMoney
  #paid: Hold | undefined
  #settlement: Settlement | undefined
  #end: StepEnd | undefined

  constructor(money: StepMoney, facts: BegunFacts, worst: bigint) {
    this.#money = money
    this.facts = facts
    this.worst = worst
    this.part = {
      id: facts.stepId,
      hold: (options) => this.#hold(options),
      // Its `write` runs in the transaction of the settlement.
      afterSettlement: (ended) => void ended(true).catch((error) => money.report(this, String(error))),
    }
  }

  get stepId(): string {
    return this.facts.stepId
  }

  /** Whether the paid call has ended, and has reported its cost. */
  get isSettled(): boolean {
    return this.#settlement !== undefined
  }
  get end(): StepEnd | undefined {
    return this.#end
  }

  done(cost: Cost | undefined, line: StepLine, { discarded = false } = {}): void {
    if (this.#end) {
      this.#money.report(this, 'a step of a call has ended twice')
      return
    }
    this.#end = this.endOf(cost, line, discarded)
    this.#money.ended(this, this.#end)
  }

  /** The end of the step. Nothing is charged beyond the amount taken for it; the rest is the platform's loss. */
  endOf(cost: Cost | undefined, line: StepLine, discarded: boolean): StepEnd {
    const { stepId, model } = this.facts
    const settlement = this.#settlement
    if (!settlement && cost === undefined) this.#money.report(this, 'a step of a call has no cost')
    const known = cost ?? limitCost(this.worst, { model })
    const used = settlement?.microcredits ?? known.microcredits
    const lost = settlement?.lostMicrocredits ?? 0n
    const due = used - lost
    if (due > this.worst) this.#money.overran(this)
    const charged = due < this.worst ? due : this.worst
    return {
      stepId,
      model: settlement?.model ?? model,
      cost: charged,
      lost: used - charged,
      discarded,
      line: {
        ...storedLine(this.facts, line, settlement, charged),
        ...(!settlement && { charge: storedCost(known, model) }),
      },
    }
  }

  async #hold({ receiptId, microcredits }: HoldOptions): Promise<Hold> {
    if (this.#paid) throw new Error('a step of a call pays for one call of an upstream')
    if (microcredits > this.worst) await this.#money.grow(this, microcredits)
    this.#paid = new PartHold(this, receiptId, microcredits)
    return this.#paid
  }

  async grow(worst: bigint): Promise<void> {
    if (worst > this.worst) await this.#money.grow(this, worst)
  }

  settle(settlement: Settlement): SettlementResult {
    this.#settlement = settlement
    const { cost, lost } = this.endOf(undefined, { quantities: {} }, false)
    return { chargedMicrocredits: cost, lossMicrocredits: lost }
  }

  async settleWith(settlement: Settlement, write: (tx: Tx) => Promise<void>): Promise<SettlementResult> {
    const settled = this.settle(settlement)
    try {
      await this.#money.endedWith(this.endOf(undefined, { quantities: {} }, false), write)
    } catch (error) {
      this.#settlement = undefined
      throw error
    }
    return settled
  }
}

class PartHold implements Hold {
  readonly receiptId: string
  microcredits: bigint
  readonly #step: CallStep

  constructor(step: CallStep, receiptId: string, microcredits: bigint) {
    this.#step = step
    this.receiptId = receiptId
    this.microcredits = microcredits
  }

  async change(microcredits: bigint): Promise<void> {
    await this.#step.grow(microcredits)
    this.microcredits = microcredits
  }

  /** The hold lives as long as its call. */
  async renew(): Promise<void> {}

  async settle(settlement: Settlement): Promise<SettlementResult> {
    return this.#step.settle(settlement)
  }

  settleWith(settlement: Settlement, write: (tx: Tx) => Promise<void>): Promise<SettlementResult> {
    return this.#step.settleWith(settlement, write)
  }
}
