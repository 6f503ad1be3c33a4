import { Failure } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import { ClaimTaken, type SettlementResult } from './ledger.ts'

/** Counts what was charged and what the platform lost, and logs a loss; for a durable hold, once the transaction that ended it has committed. */
export function reportSettlement(
  { metrics, log }: { metrics?: Metrics; log: Log },
  receiptId: string,
  { chargedMicrocredits, lossMicrocredits }: SettlementResult,
): void {
  metrics?.chargedMicrocredits.inc(Number(chargedMicrocredits))
  metrics?.lostMicrocredits.inc(Number(lossMicrocredits))
  if (lossMicrocredits > 0n)
    log.error(
      { receipt: receiptId, microcredits: String(lossMicrocredits) },
      'platform loss: a call cost more than may be charged for it',
    )
}

/** The reason for which a hold was refused, for its metric. */
export function reasonOf(error: unknown): string {
  if (error instanceof ClaimTaken) return 'idempotency_key'
  if (!(error instanceof Failure)) return 'defect'
  // The cap, rate or concurrency limit that refused the hold, if the failure names one.
  const { scope } = error.detail as { scope?: unknown }
  return typeof scope === 'string' ? `${error.code.toLowerCase()}_${scope}` : error.code.toLowerCase()
}
