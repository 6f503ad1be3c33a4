/** What every paid call of an upstream shares, whatever it is for: who pays, its hold, and who is told of it. */
import type { App, Caller } from '#app'
import type { AnyModel } from '#engine/models'
import type { Claim, Hold, Settled } from '#platform/ledger'
import type { Trail } from '#platform/trace'

export { PaidWatch, providerName } from './watch.ts'

export interface PaidCall {
  caller: Caller
  endpoint: string
  requestId: string
  receivedMs: number
  claim?: Claim | undefined
  /**
   * Work that nobody waits for: what may have been executed is never asked again, the charge stays within the hold, and the finished
   * JSON is kept with the settlement even without a claim, so that it is found there after a crash.
   */
  background?: boolean
  customerId?: string | undefined
  referenceId?: string | undefined
  /** Aborts when the caller goes away. */
  gone: AbortSignal
  /** Of the request, for its log line and its spans. */
  trail?: Trail | undefined
}

/** What became of the money, and of the idempotency key. */
export interface Finished extends Settled {
  /** True where the key stays with this call: a repeat is answered or refused, never run. */
  keepsClaim: boolean
}

/** As web servers log a caller who did not wait for the answer. */
export const clientLeft = 499

const graceMs = 60_000

/** How long a call of this model may be held: longer than it can take. */
export const lifetimeMs = (app: App, model: AnyModel): number => app.inference.longestMs(model) + graceMs

/** Throws as `Ledger.hold` does. */
export async function holdFor(
  app: App,
  call: PaidCall & { model: AnyModel },
  microcredits: bigint,
): Promise<Hold> {
  const { caller, requestId, endpoint, model, claim, customerId, referenceId } = call
  const hold = await app.ledger.hold({
    payer: caller,
    receiptId: requestId,
    endpoint,
    model: model.id,
    microcredits,
    claim,
    customerId,
    referenceId,
    started: true,
    lifetimeMs: lifetimeMs(app, model),
  })
  app.metrics.heldMicrocredits.inc(Number(microcredits))
  return hold
}

export function countSettled({ metrics }: App, { chargedMicrocredits, lossMicrocredits }: Settled): void {
  metrics.chargedMicrocredits.inc(Number(chargedMicrocredits))
  metrics.lostMicrocredits.inc(Number(lossMicrocredits))
}
