import { Failure } from '#platform/errors'
import type { Metrics } from '#platform/metrics'
import { ClaimTaken, type Hold } from './ledger.ts'

/** Counts the holds that are open, and those that are refused, by what refused them. */
export async function watchHold(metrics: Metrics | undefined, taking: Promise<Hold>): Promise<Hold> {
  if (!metrics) return taking
  let hold: Hold
  try {
    hold = await taking
  } catch (error) {
    metrics.refusedHolds.inc({ reason: reasonOf(error) })
    throw error
  }
  metrics.openHolds.inc()
  let ending: ReturnType<Hold['settle']> | undefined
  return {
    receiptId: hold.receiptId,
    get microcredits() {
      return hold.microcredits
    },
    change: (microcredits, lifetimeMs) => hold.change(microcredits, lifetimeMs),
    settle(settlement) {
      ending ??= hold.settle(settlement).finally(() => metrics.openHolds.dec())
      return ending
    },
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ClaimTaken) return 'idempotency_key'
  if (!(error instanceof Failure)) return 'defect'
  // Which cap, rate or concurrency it was, where the failure says so.
  const { scope } = error.detail as { scope?: unknown }
  return typeof scope === 'string' ? `${error.code.toLowerCase()}_${scope}` : error.code.toLowerCase()
}
