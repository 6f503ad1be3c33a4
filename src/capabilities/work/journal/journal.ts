/**
 * The steps of a run, each taken at most once in its life. A paid one is written down before it begins and when it has ended; what
 * was begun and never ended is lost, and is not begun again (docs/decisions/0027-durable-work.md).
 */
import assert from 'node:assert/strict'
import { requireMayPay } from '#engine/paid'
import { FailedStep, LostStep, OutOfCredits } from '#engine/pipelines'
import { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { RunLease } from '../run-lease.ts'
import { keepResult, readResult } from './results.ts'
import * as store from './store.ts'

/** How a step ended, and what it did cost in micro-credits. */
export type Taken<Value> =
  | { how: 'done'; value: Value; cost: bigint; detail?: store.StepDetail }
  | { how: 'failed'; code: string; cost: bigint; detail?: store.StepDetail }
  | { how: 'lost'; cost: bigint; detail?: store.StepDetail }
  /** Nothing was done that could have had an effect: it may be taken later. */
  | { how: 'undone' }

export interface PaidStep<Value> {
  step: string
  kind: 'ask' | 'search' | 'read'
  /** Micro-credits. */
  worst: bigint
  take(effectId: string): Promise<Taken<Value>>
}

export class Journal {
  readonly #shift: RunLease
  /** Every step that this worker asked for: a name is asked for once, however often. */
  readonly #asked = new Map<string, Promise<unknown>>()

  constructor(shift: RunLease) {
    this.#shift = shift
  }

  /** Throws `LostStep`, `FailedStep`, `OutOfCredits`, or `Stopped`. */
  paid<Value>(ask: PaidStep<Value>): Promise<Value> {
    return this.#once(ask.step, () => this.#pay(ask))
  }

  /** What is not paid and may be computed again after a crash, until it is written down. */
  free<Value>(step: string, compute: () => Promise<Value>): Promise<Value> {
    return this.#once(step, async () => {
      const { app, held } = this.#shift
      const known = await this.#find(step)
      if (known) return this.#told<Value>(known, 'once')
      const value = await compute()
      const effectId = uuidv7()
      const kept = await keepResult(this.#shift, value)
      const write = () => store.putOnce(app.db, held, { step, effectId, ...kept, now: this.#shift.now() })
      if (!(await this.#shift.persist(write))) this.#shift.lose()
      return plain(value)
    })
  }

  /** Resolves when no step is under way any more. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#asked.values())
  }

  #once<Value>(step: string, take: () => Promise<Value>): Promise<Value> {
    assert(
      /^(?=.{1,200}$)[a-z0-9-]+(\/[a-z0-9-]+)*$/.test(step),
      `a step is named by words and slashes: ${step}`,
    )
    const asked = this.#asked.get(step)
    if (asked) return asked as Promise<Value>
    const taking = (async () => {
      this.#shift.requireOpen()
      return take()
    })()
    this.#asked.set(step, taking)
    // Whoever asked hears of it; nobody else has to.
    taking.catch(() => {})
    return taking
  }

  async #pay<Value>({ step, kind, worst, take }: PaidStep<Value>): Promise<Value> {
    const { app, held } = this.#shift
    const effectId = uuidv7()
    const begin = () => store.beginStep(app.db, held, { step, kind, effectId, worst, now: this.#shift.now() })
    switch (await this.#shift.persist(begin)) {
      case 'gone':
        return this.#shift.lose()
      case 'short':
        throw new OutOfCredits(`What is left of the run does not pay the step ${step}.`)
      case 'known':
        return this.#told<Value>((await this.#find(step))!, kind)
    }
    let taken: Taken<Value>
    const mayPay = await this.#mayPay().catch(async (error) => {
      // Nobody was asked yet.
      await this.#end(step, effectId, { how: 'undone' })
      throw error
    })
    try {
      taken = mayPay ? await take(effectId) : { how: 'undone' }
    } catch (error) {
      // A defect of ours: what it did nobody knows.
      await this.#end(step, effectId, { how: 'lost', cost: worst })
      throw error
    }
    await this.#end(step, effectId, taken)
    return this.#valueOf(step, taken)
  }

  /** False where the key that asked for the run may pay for no more: then the run stops. */
  async #mayPay(): Promise<boolean> {
    const { app, payer } = this.#shift
    try {
      await requireMayPay(app, payer)
      return true
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      this.#shift.refuse(error)
      return false
    }
  }

  async #end(step: string, effectId: string, taken: Taken<unknown>): Promise<void> {
    const { app, held } = this.#shift
    const kept = taken.how === 'done' ? await keepResult(this.#shift, taken.value) : {}
    const mine = await this.#shift.persist(() =>
      store.endStep(app.db, held, {
        step,
        effectId,
        how: taken.how,
        cost: taken.how === 'undone' ? 0n : taken.cost,
        ...kept,
        errorCode: taken.how === 'failed' ? taken.code : undefined,
        detail: taken.how === 'undone' ? undefined : taken.detail,
        now: this.#shift.now(),
      }),
    )
    if (!mine) this.#shift.lose()
    if (taken.how === 'done') await this.#shift.persist(() => this.#shift.progressed())
  }

  #valueOf<Value>(step: string, taken: Taken<Value>): Value {
    if (taken.how === 'done') return plain(taken.value)
    // What was cut short because the run stops is told as that.
    this.#shift.requireOpen()
    if (taken.how === 'failed') throw new FailedStep(step, taken.code)
    throw new LostStep(step)
  }

  #find(step: string): Promise<store.StepRow | undefined> {
    const { app, held } = this.#shift
    return this.#shift.persist(() => store.findStep(app.db, held, step))
  }

  async #told<Value>(row: store.StepRow, kind: store.StepKind): Promise<Value> {
    assert(row.kind === kind || row.kind === 'once', `the step ${row.step} was a ${row.kind} before`)
    if (row.state === 'failed') throw new FailedStep(row.step, row.error_code!)
    if (row.state !== 'done') throw new LostStep(row.step)
    return (await readResult(this.#shift.app, row)) as Value
  }
}

/** As it will be read after a crash. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value ?? null)) as Value
