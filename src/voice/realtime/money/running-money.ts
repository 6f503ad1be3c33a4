/** The money of one call, in the process that has the call: one hold for what was spent, for steps under way, and for the next turn. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway, type Tx } from '#platform/db'
import { Failure, fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { type Payer, resizeHoldInTx } from '#platform/ledger'
import type { CallMoney, EndReason, NewStep } from '../parts.ts'
import { type CallKey, type CallRow, type EngineName, readCall, writeConnected } from '../store.ts'
import { CallTime } from './call-time.ts'
import { CallOver } from './over.ts'
import { type SettlementApp, settleCall } from './settle.ts'
import { CallStep, type StepMoney } from './step.ts'
import { type BegunStep, hasEnded, type StepEnd, writeStep, writeStepEnds, writeTaken } from './step-store.ts'
import { maxAwayMs, retryWhileDatabaseAway } from './until-back.ts'

/** The holder of the call. `end` and `warn` may be called more than once. */
export interface MoneyListener {
  /** The call is to end; `RunningMoney.end` follows once no call to an upstream is open. */
  end(reason: EndReason): void
  /** The call's time costs credits, and the balance covers no more of it than is held: about half a minute. */
  warn(): void
  /** The process is being stopped: the call is ended after this many seconds. */
  stopping?(seconds: number): void
}

/** What a process gives the money of each of its calls. */
export interface MoneyContext {
  listener: MoneyListener
  /** Aborts when this process has no more time to settle. */
  closing: AbortSignal
  /** Called once when settlement begins. */
  settling(ending: Promise<CallRow>): void
}

export interface RunningCall extends CallKey {
  payer: Payer
  receiptId: string
  processId: string
  model: string
  engine: EngineName
  createdMs: number
  /** The present amount of the hold, in micro-credits. */
  held: bigint
  /** The price of this many seconds of connection, in micro-credits. Absent: the time costs nothing. */
  timePrice?: ((seconds: number) => bigint) | undefined
}

export class RunningMoney implements CallMoney, StepMoney {
  readonly call: RunningCall
  readonly #app: SettlementApp
  readonly #context: MoneyContext
  readonly #time: CallTime | undefined
  /** The amount of the hold as it is committed; while it shrinks, the smaller amount to come. */
  #held: bigint
  #reserved: bigint
  #spent = 0n
  /** The cost of the steps whose cost is in the database. */
  #written = 0n
  /** All other steps. */
  readonly #open = new Map<string, CallStep>()
  #steps = 0
  #unwritten: StepEnd[] = []
  readonly #unbegun: string[] = []
  readonly #beginning = new Set<Promise<unknown>>()
  /** Resolves after the last change of the hold: they run one after the other. */
  #changes: Promise<unknown> = Promise.resolve()
  #writing: Promise<void> | undefined
  #ticking: Promise<void> | undefined
  #isOver = false
  /** The database was away for so long that the amount of the hold is not known. */
  #isLost = false
  #connectedAt: Date | undefined
  #ending: Promise<CallRow> | undefined
  turns = 0

  constructor(app: SettlementApp, call: RunningCall, context: MoneyContext) {
    this.#app = app
    this.call = call
    this.#held = call.held
    this.#reserved = call.held
    this.#context = context
    this.#time = call.timePrice && new CallTime(call.timePrice, this.#app.clock)
  }

  get spent(): bigint {
    return this.#spent
  }
  /** The amount of the hold, in micro-credits. */
  get held(): bigint {
    return this.#held
  }
  get connectedAt(): Date | undefined {
    return this.#connectedAt
  }
  get isEnding(): boolean {
    return this.#ending !== undefined
  }

  /**
   * The part of the hold that is spent or taken for steps. A step that has ended counts with its worst case until its cost is written, which happens
   * before more is held.
   */
  get #taken(): bigint {
    let taken = this.#written
    for (const { worst } of this.#open.values()) taken += worst
    return taken
  }
  /** The part of the hold that is not taken. */
  get free(): bigint {
    return this.#held - this.#taken
  }

  /** The amount last reserved for the next turn; at first the whole hold. */
  get reserved(): bigint {
    return this.#reserved
  }

  reserve(worst: bigint): Promise<boolean> {
    this.#reserved = worst
    return this.#inOrder(async () => {
      if (this.free < worst) await this.writeEnds()
      await this.#rehold(this.#taken + worst)
    }).then(() => true, falseIfRefused)
  }

  async fill(free: bigint): Promise<void> {
    await this.#inOrder(async () => {
      if (this.free < free) await this.writeEnds()
      const missing = free - this.free
      if (missing <= 0n) return
      const have = await this.#rehold(this.#held + missing).then(() => 0n, coveredAmountOf)
      // Other holds of the account may have taken it by now.
      if (have > 0n) await this.#rehold(this.#held + have).catch(coveredAmountOf)
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
    this.#open.set(step.stepId, step)
    try {
      await this.grow(step, worst)
      if (this.#isOver) throw new CallOver()
    } catch (error) {
      this.#open.delete(step.stepId)
      // The row of the step may exist all the same.
      if (!(error instanceof Failure) || error.status !== 402) this.#unbegun.push(step.stepId)
      throw error
    }
  }

  async grow(step: CallStep, worst: bigint): Promise<void> {
    if (this.#isOver) throw new CallOver()
    const before = step.worst
    // The amount counts at once: the next step finds less than nothing free, and waits for the hold to grow.
    step.worst = worst
    const begun = { ...step.facts, worst }
    try {
      if (this.free >= 0n) await this.#write(begun)
      else
        await this.#inOrder(async () => {
          if (this.free < 0n) await this.writeEnds()
          await (this.free >= 0n ? this.#write(begun) : this.#rehold(this.#taken, begun))
        })
    } catch (error) {
      step.worst = before
      throw error
    }
  }

  ended(_step: CallStep, end: StepEnd): void {
    this.#spent += end.cost
    this.#unwritten.push(end)
    void this.writeEnds()
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
        if (await this.#untilBack(() => hasEnded(db, this.call, end.stepId))) return
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
      const state = this.#isOver ? 'paid' : await this.#time?.pay(this)
      if (state === 'short') this.#context.listener.warn()
      if (state === 'over') this.#context.listener.end('credits')
    } catch (error) {
      // The holder of the call knows already.
      if (!(error instanceof CallOver) && !(error instanceof Failure)) this.#context.listener.end('failed')
    }
  }

  /** Writes the costs of steps that are not in the database. Never rejects: a cost that could not be written is written with the next. */
  async writeEnds(): Promise<void> {
    if (this.#unwritten.length > 0) this.#writing ??= this.#writeEnds()
    await this.#writing
  }

  async #writeEnds(): Promise<void> {
    try {
      while (this.#unwritten.length > 0) {
        const ends = this.#unwritten.slice()
        await writeStepEnds(this.#app.db.kysely, this.call, ends)
        this.#unwritten = this.#unwritten.slice(ends.length)
        for (const { stepId, cost } of ends) {
          this.#open.delete(stepId)
          this.#written += cost
        }
      }
    } catch (error) {
      if (!isDatabaseAway(error))
        this.#app.log.error({ err: error, receipt: this.call.receiptId }, 'costs of a call were not written')
    } finally {
      // This runs in the same moment in which nothing was left: costs that come later are written by the next call.
      this.#writing = undefined
    }
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
    this.#isOver = true
    await Promise.allSettled(this.#beginning)
    await Promise.allSettled([this.#changes, this.#writing])
    this.#time?.stop(this.free)
    for (const step of this.#open.values())
      if (!step.end && step.isSettled) step.done(undefined, { quantities: {} })
    await Promise.allSettled([this.#writing])
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
      stepEnds: this.#unwritten,
      unbegunSteps: this.#unbegun,
      connectedAt: this.#connectedAt,
      ...more,
    })
    return ended ?? (await readCall(this.#app.db, this.call))!
  }

  /** Runs changes of the hold one after the other. */
  #inOrder<Result>(change: () => Promise<Result>): Promise<Result> {
    const mine = this.#changes.then(change)
    this.#changes = mine.catch(() => {})
    return mine
  }

  /** Changes the hold to this amount, in one transaction with the step that needs it. */
  async #rehold(to: bigint, step?: BegunStep): Promise<void> {
    if (this.#isOver) throw new CallOver()
    const { accountId, receiptId } = this.call
    const from = this.#held
    if (from === to && !step) return
    // No step may take the returned credits meanwhile.
    if (to < from) this.#held = to
    await this.#untilBack(() =>
      this.#app.db.tx(async (tx) => {
        if (step && !(await writeStep(tx, this.call, step))) throw new CallOver()
        if (!(await resizeHoldInTx(tx, { accountId, receiptId, from, to }))) throw new CallOver()
      }),
    )
    this.#held = to
  }

  async #write(step: BegunStep): Promise<void> {
    const isWritten = await this.#untilBack(() => writeStep(this.#app.db.kysely, this.call, step))
    if (!isWritten) throw new CallOver()
  }

  /** Repeats the work while the database is away. Throws SERVICE_UNAVAILABLE after twenty seconds: the call is to end then. */
  async #untilBack<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isLost) fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2_000 })
    try {
      return await retryWhileDatabaseAway(work, maxAwayMs)
    } catch (error) {
      if (error instanceof CallOver) this.#context.listener.end('failed')
      if (!isDatabaseAway(error)) throw error
      this.#isLost = true
      this.#context.listener.end('failed')
      return fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2_000 })
    }
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
