/** A hold of this process: taken and settled by group commit, changed on its own. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '#platform/db'
import { fail } from '#platform/errors'
import type { Committer } from './commit.ts'
import {
  ClaimTaken,
  type Hold,
  type HoldOptions,
  type LedgerOptions,
  type Settled,
  type Settlement,
} from './ledger.ts'
import type { Refusals } from './limits.ts'
import { holdFields, settleFields } from './operation.ts'
import * as store from './store.ts'
import { reportSettlement } from './watch.ts'

export interface HoldContext extends Pick<LedgerOptions, 'db' | 'clock' | 'log' | 'metrics'> {
  committer: Committer
  refusals: Refusals
  processId: string
}

/** As `Ledger.hold`. */
export async function takeHold(context: HoldContext, options: HoldOptions): Promise<Hold> {
  const { committer, refusals, processId, clock } = context
  const { payer, receiptId } = options
  // A repeat under an idempotency key is answered from what is stored, however fast it comes.
  if (!options.claim) refusals.check(payer)
  const result = await committer.hold({
    ...holdFields(options),
    amount: options.microcredits,
    started: options.started,
    process_id: processId,
    expires_at: new Date(clock.nowMs() + options.lifetimeMs).toISOString(),
  })
  if (result.outcome === 'claimed') throw new ClaimTaken(result.receipt_id!)
  if (result.outcome === 'limited') return refusals.refuse(payer, result.scope!, Number(result.need))
  if (result.outcome === 'insufficient') refuseAmount(result.scope!, result.need!, result.have!)

  let held = options.microcredits
  let ending: Promise<Settled> | undefined
  return {
    receiptId,
    get microcredits() {
      return held
    },
    async change(microcredits, lifetimeMs) {
      await changeHold(context, options, { from: held, to: microcredits, lifetimeMs })
      held = microcredits
    },
    settle(settlement) {
      ending ??= settle(context, options, settlement)
      return ending
    },
  }
}

interface Change {
  from: bigint
  to: bigint
  lifetimeMs: number
}

/** Each statement says from what to what, so one whose reply was lost is sent again, and none that arrives late does harm. */
async function changeHold(
  { db, clock }: HoldContext,
  options: HoldOptions,
  { from, to, lifetimeMs }: Change,
): Promise<void> {
  const { accountId } = options.payer
  const until = new Date(clock.nowMs() + lifetimeMs)
  const change = () => store.rehold(db, accountId, options.receiptId, from, to, until)
  const result = await change()
    .catch(async (error: unknown) => {
      if (!isDatabaseAway(error)) throw error
      await pause(againMs)
      return change()
    })
    .catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error
      return fail('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 2000 })
    })
  if (result.outcome === 'insufficient') refuseAmount(result.scope!, result.need!, result.have!)
  assert(result.outcome === 'held', `the hold ${options.receiptId} has ended or is not at ${from}`)
}

/** Until a broken connection may be replaced by a good one. */
const againMs = 500

/** Refuses what does not fit the balance, or a cap. */
export function refuseAmount(scope: string, needMicrocredits: bigint, haveMicrocredits: bigint): never {
  if (scope === 'balance') fail('INSUFFICIENT_CREDITS', { needMicrocredits, haveMicrocredits })
  fail('BUDGET_EXCEEDED', { scope, needMicrocredits, haveMicrocredits })
}

async function settle(context: HoldContext, options: HoldOptions, end: Settlement): Promise<Settled> {
  const { need, have } = await context.committer.settle(
    {
      ...settleFields({ accountId: options.payer.accountId, receiptId: options.receiptId }, end),
      actual: end.microcredits,
      free_claim: end.freeClaim ?? false,
      reply: end.reply,
    },
    end.urgent ?? false,
  )
  const settled = { chargedMicrocredits: need!, lossMicrocredits: have ?? 0n }
  reportSettlement(context, options.receiptId, settled)
  return settled
}
