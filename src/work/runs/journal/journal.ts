/**
 * The steps of a run; each is executed at most once. A paid step is recorded before it begins and when it has ended. A step that
 * was begun and never ended is lost, and is not started again (docs/decisions/work/durable-runs.md).
 */
import assert from 'node:assert/strict'
import { type Cost, limitCost, storedCost } from '#core/models'
import { requireActivePayer } from '#core/paid'
import { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { FailedStep, LostStep, OutOfCredits } from '#work/pipelines'
import type { RunLease } from '../run-lease.ts'
import { readResult, storeResult } from './results.ts'
import * as store from './store.ts'

/** How a step ended and what it cost. */
export type StepResult<Value> =
  | { state: 'done'; value: Value; cost: Cost; detail?: store.StepDetail }
  | { state: 'failed'; code: string; cost: Cost; detail?: store.StepDetail }
  | { state: 'lost'; cost: Cost; detail?: store.StepDetail }
  /** Nothing was done that could have had an effect, so the step may be executed later. */
  | { state: 'undone' }

export interface PaidStep<Value> {
  step: string
  kind: 'ask' | 'search' | 'read'
  /** Micro-credits. */
  worst: bigint
  execute(effectId: string): Promise<StepResult<Value>>
}

export class Journal {
  readonly #lease: RunLease
  /** The steps that this worker has started, by name: a name that is requested again shares the same promise. */
  readonly #started = new Map<string, Promise<unknown>>()

  constructor(lease: RunLease) {
    this.#lease = lease
  }

  /** Returns the result of a paid step. Throws `LostStep`, `FailedStep`, `OutOfCredits`, or `RunStopped`. */
  runPaid<Value>(ask: PaidStep<Value>): Promise<Value> {
    return this.#once(ask.step, () => this.#pay(ask))
  }

  /** Returns the result of a free step, which may be computed again after a crash until its result is stored. */
  runFree<Value>(step: string, compute: () => Promise<Value>): Promise<Value> {
    return this.#once(step, async () => {
      const { app, leaseKey } = this.#lease
      const known = await this.#find(step)
      if (known) return this.#fromRow<Value>(known, 'once')
      const value = await compute()
      const effectId = uuidv7()
      const stored = await storeResult(this.#lease, value)
      const write = () =>
        store.storeFreeStep(app.db, leaseKey, { step, effectId, ...stored, now: this.#lease.now() })
      if (!(await this.#lease.persist(write))) this.#lease.markLost()
      return jsonRoundTrip(value)
    })
  }

  /** Resolves when no step is under way any more. */
  async whenSettled(): Promise<void> {
    await Promise.allSettled(this.#started.values())
  }

  #once<Value>(step: string, execute: () => Promise<Value>): Promise<Value> {
    assert(
      /^(?=.{1,200}$)[a-z0-9-]+(\/[a-z0-9-]+)*$/.test(step),
      `a step is named by words and slashes: ${step}`,
    )
    const running = this.#started.get(step)
    if (running) return running as Promise<Value>
    const promise = (async () => {
      this.#lease.requireOpen()
      return execute()
    })()
    this.#started.set(step, promise)
    // The caller gets the rejection; this handler only keeps it from counting as unhandled.
    promise.catch(() => {})
    return promise
  }

  async #pay<Value>({ step, kind, worst, execute }: PaidStep<Value>): Promise<Value> {
    const { app, leaseKey } = this.#lease
    this.#lease.requireDiskSpace()
    const effectId = uuidv7()
    const begin = () =>
      store.beginStep(app.db, leaseKey, { step, kind, effectId, worst, now: this.#lease.now() })
    switch (await this.#lease.persist(begin)) {
      case 'gone':
        return this.#lease.markLost()
      case 'short':
        throw new OutOfCredits(`What is left of the run does not pay the step ${step}.`)
      case 'known':
        return this.#fromRow<Value>((await this.#find(step))!, kind)
    }
    let result: StepResult<Value>
    const mayPay = await this.#mayPay().catch(async (error) => {
      // No upstream was called yet.
      await this.#end(step, effectId, { state: 'undone' })
      throw error
    })
    try {
      result = mayPay ? await execute(effectId) : { state: 'undone' }
    } catch (error) {
      // A defect of ours: whether the call had an effect is unknown.
      await this.#end(step, effectId, { state: 'lost', cost: limitCost(worst) })
      throw error
    }
    await this.#end(step, effectId, result)
    return this.#valueOf(step, result)
  }

  /** Returns false if the key of the run may not pay any more; then the run stops. */
  async #mayPay(): Promise<boolean> {
    const { app, payer } = this.#lease
    try {
      await requireActivePayer(app.turns, payer)
      return true
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      this.#lease.refuse(error)
      return false
    }
  }

  async #end(step: string, effectId: string, result: StepResult<unknown>): Promise<void> {
    const { app, leaseKey } = this.#lease
    const stored = result.state === 'done' ? await storeResult(this.#lease, result.value) : {}
    const mine = await this.#lease.persist(() =>
      store.endStep(app.db, leaseKey, {
        step,
        effectId,
        state: result.state,
        cost: result.state === 'undone' ? 0n : result.cost.microcredits,
        ...stored,
        errorCode: result.state === 'failed' ? result.code : undefined,
        detail: result.state === 'undone' ? undefined : chargedDetail(result),
        now: this.#lease.now(),
      }),
    )
    if (!mine) this.#lease.markLost()
    if (result.state === 'done') await this.#lease.persist(() => this.#lease.progressed())
  }

  #valueOf<Value>(step: string, result: StepResult<Value>): Value {
    if (result.state === 'done') return jsonRoundTrip(result.value)
    // A step that was aborted because the run stops throws Stopped, not a failure of its own.
    this.#lease.requireOpen()
    if (result.state === 'failed') throw new FailedStep(step, result.code)
    throw new LostStep(step)
  }

  #find(step: string): Promise<store.StepRow | undefined> {
    const { app, leaseKey } = this.#lease
    return this.#lease.persist(() => store.findStep(app.db, leaseKey, step))
  }

  async #fromRow<Value>(row: store.StepRow, kind: store.StepKind): Promise<Value> {
    assert(row.kind === kind || row.kind === 'once', `the step ${row.step} was a ${row.kind} before`)
    if (row.state === 'failed') throw new FailedStep(row.step, row.error_code!)
    if (row.state !== 'done') throw new LostStep(row.step)
    return (await readResult(this.#lease.app, row)) as Value
  }
}

/** The detail of a step with the lines of its cost, if it cost something. */
function chargedDetail({
  cost,
  detail,
}: {
  cost: Cost
  detail?: store.StepDetail
}): store.StepDetail | undefined {
  if (cost.parts.length === 0) return detail
  return { ...detail, charge: storedCost(cost, detail?.model ?? null) }
}

/** The value as it would be read back after a crash. */
const jsonRoundTrip = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value ?? null)) as Value
