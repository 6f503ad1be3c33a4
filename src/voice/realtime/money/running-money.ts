/** The money of one call, in the process that has the call: one hold for what was spent, for steps under way, and for the next turn. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway, type Tx } from '#platform/db'
import { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { CallSettlementApp } from '../app.ts'
import type { CallMoney, EndReason, NewStep } from '../parts.ts'
import { type CallRow, readCall, writeConnected } from '../store.ts'
import { CallHold } from './call-hold.ts'
import { CallTime } from './call-time.ts'
import { OpenSteps } from './open-steps.ts'
import { CallOver } from './over.ts'
import type { MoneyContext, RunningCall } from './running-call.ts'
import { settleCall } from './settle.ts'
import { CallStep, type StepMoney } from './step.ts'
import { hasEnded, type StepEnd, writeStepEnds, writeTaken } from './step-store.ts'

export class RunningMoney implements CallMoney, StepMoney {
  readonly call: RunningCall
  readonly #app: CallSettlementApp
  readonly #context: MoneyContext
  readonly #time: CallTime | undefined
  readonly #hold: CallHold
  readonly #open: OpenSteps
  #reserved: bigint
  #steps = 0
  readonly #unbegun: string[] = []
  readonly #beginning = new Set<Promise<unknown>>()
  #ticking: Promise<void> | undefined
  #connectedAt: Date | undefined
  #ending: Promise<CallRow> | undefined
  turns = 0

  constructor(app: CallSettlementApp, call: RunningCall, context: MoneyContext) {
    this.#app = app
    this.call = call
    this.#reserved = call.held
    this.#context = context
    this.#hold = new CallHold(app, call, () => context.listener.end('failed'))
    this.#open = new OpenSteps(app, call)
    this.#time = call.timeCost && new CallTime(call.timeCost, this.#app.clock)
  }

  get spent(): bigint {
    return this.#open.spent
  }
  /** The amount of the hold, in micro-credits. */
  get held(): bigint {
    return this.#hold.amount
  }
  get connectedAt(): Date | undefined {
    return this.#connectedAt
  }
  get isEnding(): boolean {
    return this.#ending !== undefined
  }

  /** The part of the hold that is not taken. */
  get free(): bigint {
    return this.#hold.amount - this.#open.taken
  }

  /** The amount last reserved for the next turn; at first the whole hold. */
  get reserved(): bigint {
    return this.#reserved
  }

  reserve(worst: bigint): Promise<boolean> {
    this.#reserved = worst
    return this.#hold
      .inOrder(async () => {
        if (this.free < worst) await this.writeEnds()
        await this.#hold.resize(this.#open.taken + worst)
      })
      .then(() => true, falseIfRefused)
  }

  async fill(free: bigint): Promise<void> {
    await this.#hold.inOrder(async () => {
      if (this.free < free) await this.writeEnds()
      const missing = free - this.free
      if (missing <= 0n) return
      const have = await this.#hold.resize(this.held + missing).then(() => 0n, coveredAmountOf)
      // Other holds of the account may have taken it by now.
      if (have > 0n) await this.#hold.resize(this.held + have).catch(coveredAmountOf)
    })
  }

  async ensureFree(worst: bigint): Promise<boolean> {
    try {
      await this.fill(worst)
    } catch (error) {
      // The holder of the call knows already.
      if (!(error instanceof CallOver) && !(error instanceof Failure)) throw error
      return false
    }
    return this.free >= worst
  }

  /** Begins a step. Throws 402 where neither reserve nor balance covers it, SERVICE_UNAVAILABLE where the database is away, and `CallOver`. */
  async step({ kind, model, worst, stepId, isAhead }: NewStep): Promise<CallStep> {
    const nowMs = this.#app.clock.nowMs()
    const beganMs = nowMs - this.call.createdMs
    const facts = { stepId: stepId ?? uuidv7(nowMs), position: this.#steps++, kind, model, beganMs, isAhead }
    const step = new CallStep(this, facts, 0n)
    const beginning = this.#begin(step, worst)
    this.#beginning.add(beginning)
    try {
      await beginning
    } finally {
      this.#beginning.delete(beginning)
    }
    return step
  }

  /**
   * Call when the upstream has begun with a step that was open ahead of it. If that cannot be written, and this process dies, the step costs nothing.
   */
  markTaken({ stepId }: CallStep): void {
    writeTaken(this.#app.db, this.call, stepId).catch((error: unknown) => {
      if (!isDatabaseAway(error))
        this.#app.log.error({ err: error, receipt: this.call.receiptId }, 'a step of a call was not written')
    })
  }

  async #begin(step: CallStep, worst: bigint): Promise<void> {
    this.#open.add(step)
    try {
      await this.grow(step, worst)
      if (this.#hold.isClosed) throw new CallOver()
    } catch (error) {
      this.#open.remove(step)
      // The row of the step may exist all the same.
      if (!(error instanceof Failure) || error.status !== 402) this.#unbegun.push(step.stepId)
      throw error
    }
  }

  async grow(step: CallStep, worst: bigint): Promise<void> {
    if (this.#hold.isClosed) throw new CallOver()
    const before = step.worst
    // The amount counts at once: the next step finds less than nothing free, and waits for the hold to grow.
    step.worst = worst
    const begun = { ...step.facts, worst }
    try {
      if (this.free >= 0n) await this.#hold.write(begun)
      else
        await this.#hold.inOrder(async () => {
          if (this.free < 0n) await this.writeEnds()
          await (this.free >= 0n ? this.#hold.write(begun) : this.#hold.resize(this.#open.taken, begun))
        })
    } catch (error) {
      step.worst = before
      throw error
    }
  }

  ended(_step: CallStep, end: StepEnd): void {
    this.#open.ended(end)
  }

  async endedWith(end: StepEnd, write: (tx: Tx) => Promise<void>): Promise<void> {
    const { db } = this.#app
    const writeBoth = (): Promise<void> =>
      db.tx(async (tx) => {
        await write(tx)
        if ((await writeStepEnds(tx, this.call, [end])) === 0) throw new CallOver()
      })
    for (;;) {
      try {
        return await writeBoth()
      } catch (error) {
        if (!isDatabaseAway(error)) throw error
        // The COMMIT may have arrived.
        await pause(againMs)
        if (await this.#hold.untilBack(() => hasEnded(db, this.call, end.stepId))) return
      }
    }
  }

  overran(step: CallStep): void {
    // The vendor answers by itself; its operator has accepted that loss (docs/decisions/voice/passthrough.md).
    if (this.call.engine === 'passthrough')
      this.#app.log.warn(
        this.#named(step),
        'a vendor that talks with its caller directly made more than was taken for it; the platform bears the rest',
      )
    else this.report(step, 'a step of a call cost more than was taken for it')
  }

  report(step: CallStep, what: string): void {
    this.#app.log.error(this.#named(step), what)
  }

  #named({ facts }: CallStep): Record<string, string> {
    return { receipt: this.call.receiptId, step: facts.stepId, kind: facts.kind }
  }

  /** Call when the client is connected: from now on the time counts. */
  async connected(): Promise<void> {
    this.#connectedAt ??= new Date(this.#app.clock.nowMs())
    // If the database is away, the next tick writes it.
    await writeConnected(this.#app.db, this.call, this.#connectedAt).catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error
    })
    await this.#time?.start(this)
  }

  /** Writes unwritten costs, and pays for the coming seconds; call every few seconds. Never rejects. */
  tick(): Promise<void> {
    this.#ticking ??= Promise.all([this.writeEnds(), this.#payTime()])
      .then(() => {})
      .finally(() => {
        this.#ticking = undefined
      })
    return this.#ticking
  }

  async #payTime(): Promise<void> {
    try {
      const state = this.#hold.isClosed ? 'paid' : await this.#time?.pay(this)
      if (state === 'short') this.#context.listener.warn()
      if (state === 'over') this.#context.listener.end('credits')
    } catch (error) {
      // The holder of the call knows already.
      if (!(error instanceof CallOver) && !(error instanceof Failure)) this.#context.listener.end('failed')
    }
  }

  /** Writes the costs of steps that are not in the database. Never rejects: a cost that could not be written is written with the next. */
  writeEnds(): Promise<void> {
    return this.#open.writeEnds()
  }

  /**
   * Ends and settles the call; safe to call twice. Call it when no call to an upstream is open: steps under way are charged at their worst. Resolves
   * with the row when that is durable, after as many tries as needed. Rejects only where this process stops first.
   */
  end(reason: EndReason, more: { facts?: Record<string, unknown>; fileId?: string } = {}): Promise<CallRow> {
    if (!this.#ending) {
      this.#ending = this.#end(reason, more)
      this.#context.settling(this.#ending)
    }
    return this.#ending
  }

  async #end(
    reason: EndReason,
    more: { facts?: Record<string, unknown>; fileId?: string },
  ): Promise<CallRow> {
    this.#hold.close()
    await Promise.allSettled(this.#beginning)
    await Promise.allSettled([this.#hold.changes, this.#open.writing])
    this.#time?.stop(this.free)
    this.#open.endSettled()
    await Promise.allSettled([this.#open.writing])
    for (;;) {
      try {
        return await this.#settle(reason, more)
      } catch (error) {
        if (this.#context.closing.aborted) throw error
        if (!isDatabaseAway(error))
          this.#app.log.error(
            { err: error, receipt: this.call.receiptId },
            'a call could not be settled; it is tried again',
          )
        await pause(settleAgainMs, undefined, { signal: this.#context.closing })
      }
    }
  }

  async #settle(
    reason: EndReason,
    more: { facts?: Record<string, unknown>; fileId?: string },
  ): Promise<CallRow> {
    const ended = await settleCall(this.#app, this.call, {
      reason,
      turns: this.turns,
      stepEnds: this.#open.unwritten,
      unbegunSteps: this.#unbegun,
      connectedAt: this.#connectedAt,
      ...more,
    })
    return ended ?? (await readCall(this.#app.db, this.call))!
  }
}

/** Returns false for a refusal, where the balance does not cover the amount; throws any other error. */
function falseIfRefused(error: unknown): false {
  if (error instanceof Failure && error.status === 402) return false
  throw error
}

/** The amount that balance and caps cover, from a refusal. */
function coveredAmountOf(error: unknown): bigint {
  if (!(error instanceof Failure) || error.status !== 402) throw error
  return (error.detail as { haveMicrocredits?: bigint }).haveMicrocredits ?? 0n
}

/** The time after which a broken connection may have been replaced by a good one. */
const againMs = 500
const settleAgainMs = 1_000
