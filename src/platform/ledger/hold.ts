/** A hold of this process: it is taken and settled by group commit, and changed by statements of its own. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway, type Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { Committer } from './commit.ts'
import { isRetryable } from './commit-ops.ts'
import { settleHoldInTx } from './durable.ts'
import {
  ClaimTaken,
  type Hold,
  type HoldOptions,
  type LedgerOptions,
  type Settlement,
  type SettlementResult,
} from './ledger.ts'
import type { Refusals } from './limits.ts'
import { holdFields, settleFields } from './operation.ts'
import { refuseAmount } from './refuse-amount.ts'
import * as store from './store.ts'
import type { StoredHolds } from './stored-holds.ts'
import { reasonOf, reportSettlement } from './watch.ts'

export interface HoldContext
  extends Pick<LedgerOptions, 'db' | 'clock' | 'log' | 'metrics' | 'thresholdsPercent'> {
  committer: Committer
  refusals: Refusals
  /** The open holds of calls that are not charged if they are lost. */
  stored: StoredHolds
  processId: string
}

/** Takes a hold; see `Ledger.hold`. */
export async function takeHold(context: HoldContext, options: HoldOptions): Promise<Hold> {
  const { committer, refusals, processId, clock, metrics } = context
  const { payer } = options
  try {
    // A repeat under an idempotency key is answered from the stored answer, however fast it comes.
    if (!options.claim) refusals.check(payer)
    const result = await committer.hold({
      ...holdFields(options),
      amount: options.microcredits,
      started: options.started,
      free_if_lost: options.freeIfLost,
      process_id: processId,
      expires_at: new Date(clock.nowMs() + options.lifetimeMs).toISOString(),
    })
    if (result.outcome === 'claimed') throw new ClaimTaken(result.receipt_id!)
    if (result.outcome === 'limited') return refusals.refuse(payer, result.scope!, Number(result.need))
    if (result.outcome === 'insufficient') refuseAmount(result.scope!, result.need!, result.have!)
    return new OpenHold(context, options)
  } catch (error) {
    metrics?.refusedHolds.inc({ reason: reasonOf(error) })
    throw error
  }
}

class OpenHold implements Hold {
  readonly #context: HoldContext
  readonly #options: HoldOptions
  microcredits: bigint
  #ending: Promise<SettlementResult> | undefined

  constructor(context: HoldContext, options: HoldOptions) {
    this.#context = context
    this.#options = options
    this.microcredits = options.microcredits
    if (options.freeIfLost) context.stored.begin(options.receiptId)
    context.metrics?.openHolds.inc()
    context.metrics?.heldMicrocredits.inc(Number(options.microcredits))
  }

  get receiptId(): string {
    return this.#options.receiptId
  }

  async change(microcredits: bigint, lifetimeMs: number): Promise<void> {
    await changeHold(this.#context, this.#options, { from: this.microcredits, to: microcredits, lifetimeMs })
    this.microcredits = microcredits
  }

  async renew(lifetimeMs: number): Promise<void> {
    const { db, clock } = this.#context
    const { payer, receiptId } = this.#options
    const until = new Date(clock.nowMs() + lifetimeMs)
    const isOpen = await retryOnce(() => store.renew(db, payer.accountId, receiptId, until))
    assert(isOpen, `the hold ${receiptId} has ended`)
  }

  settle(settlement: Settlement): Promise<SettlementResult> {
    this.#ending ??= this.#end(settlement)
    return this.#ending
  }

  async settleWith(settlement: Settlement, write: (tx: Tx) => Promise<void>): Promise<SettlementResult> {
    this.#ending ??= this.#endWith(settlement, write)
    try {
      return await this.#ending
    } catch (error) {
      this.#ending = undefined
      throw error
    }
  }

  async #end(end: Settlement): Promise<SettlementResult> {
    const { committer } = this.#context
    const { payer, receiptId } = this.#options
    const { need, have } = await committer.settle(
      {
        ...settleFields({ accountId: payer.accountId, receiptId }, end),
        actual: end.microcredits,
        free_claim: end.freeClaim ?? false,
        reply: end.reply,
      },
      end.urgent ?? false,
    )
    return this.#report({ chargedMicrocredits: need!, lossMicrocredits: have ?? 0n })
  }

  async #endWith(end: Settlement, write: (tx: Tx) => Promise<void>): Promise<SettlementResult> {
    const { db, clock, thresholdsPercent } = this.#context
    const { payer, receiptId, lifetimeMs } = this.#options
    const of = { accountId: payer.accountId, receiptId }
    const lastMs = clock.nowMs() + lifetimeMs
    for (;;) {
      try {
        const settled = await db.tx(async (tx) => {
          await write(tx)
          // The settlement comes last, because other holds of the account wait from then on.
          return settleHoldInTx(tx, { ...end, ...of, thresholdsPercent }, new Date(clock.nowMs()))
        })
        return this.#report(settled)
      } catch (error) {
        // This transaction may have failed because an earlier COMMIT succeeded and only its reply was lost.
        const settled = await this.#findSettlement(error, lastMs)
        if (settled) return this.#report(settled)
        if (!isRetryable(error)) throw error
      }
    }
  }

  /**
   * Returns how the hold was settled, as soon as the database answers; undefined if it was not. Throws `error` if the database does not answer until
   * `lastMs`.
   */
  async #findSettlement(error: unknown, lastMs: number): Promise<SettlementResult | undefined> {
    const { db, clock } = this.#context
    const { payer, receiptId } = this.#options
    let latest = error
    for (;;) {
      if (isRetryable(latest)) await pause(againMs)
      if (clock.nowMs() > lastMs) throw error
      try {
        return await store.settlementOf(db, payer.accountId, receiptId)
      } catch (failure) {
        if (!isRetryable(failure)) throw error
        latest = failure
      }
    }
  }

  #report(settled: SettlementResult): SettlementResult {
    if (this.#options.freeIfLost) this.#context.stored.end(this.receiptId)
    this.#context.metrics?.openHolds.dec()
    reportSettlement(this.#context, this.receiptId, settled)
    return settled
  }
}

interface HoldChange {
  from: bigint
  to: bigint
  lifetimeMs: number
}

/**
 * Changes the amount of a hold. Each statement names the old and the new amount, so one whose reply was lost is sent again, and one that arrives late
 * does no harm.
 */
async function changeHold(
  { db, clock }: HoldContext,
  options: HoldOptions,
  { from, to, lifetimeMs }: HoldChange,
): Promise<void> {
  const { accountId } = options.payer
  const until = new Date(clock.nowMs() + lifetimeMs)
  const result = await retryOnce(() => store.rehold(db, accountId, options.receiptId, from, to, until))
  if (result.outcome === 'insufficient') refuseAmount(result.scope!, result.need!, result.have!)
  assert(result.outcome === 'held', `the hold ${options.receiptId} has ended or is not at ${from}`)
}

/** Queries the database a second time if its connection was lost. Throws SERVICE_UNAVAILABLE. */
const retryOnce = <Result>(ask: () => Promise<Result>): Promise<Result> =>
  ask()
    .catch(async (error: unknown) => {
      if (!isDatabaseAway(error)) throw error
      await pause(againMs)
      return ask()
    })
    .catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error
      return fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000 })
    })

/** The pause until a broken connection may have been replaced by a good one. */
const againMs = 500
