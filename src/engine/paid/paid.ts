/** What every paid call of an upstream shares, whatever it is for: who pays, its hold, and who is told of it. */
import type { App, Caller } from '#app'
import type { AnyModel } from '#engine/models'
import { Failure } from '#platform/errors'
import type { Claim, Hold, Settled } from '#platform/ledger'
import type { Trail } from '#platform/trace'

export { alarmClaims, type Claim, claimOf } from './claims.ts'
export { requireMayPay } from './may-pay.ts'
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

/** What an answer will be charged. */
export interface Charge {
  microcredits: bigint
  /** False where the database did not say whether the hold was raised: then it is settled at this, whatever it did cost. */
  isSure: boolean
}

/** Others may take what is free meanwhile, so that the last credits are another number; after so many the hold is enough. */
const mostTries = 4

/**
 * What an answer that cost so much will be charged, known before it leaves: the hold first takes what is free, up to that. Settle within
 * the hold afterwards, and the receipt says the same. Nearly every call cost less than its hold, and waits for nothing here.
 */
export async function chargeFor(hold: Hold, microcredits: bigint, holdForMs: number): Promise<Charge> {
  let wanted = microcredits
  let isSure = true
  for (let tries = 0; tries < mostTries && isSure && wanted > hold.microcredits; tries++) {
    try {
      await hold.change(wanted, holdForMs)
    } catch (error) {
      const free = freeOf(error)
      isSure = free !== undefined
      wanted = hold.microcredits + (free ?? 0n)
    }
  }
  return { microcredits: microcredits < hold.microcredits ? microcredits : hold.microcredits, isSure }
}

/** What is free by a refusal to hold more; unknown where the database is away or the hold was ended by somebody else. */
function freeOf(error: unknown): bigint | undefined {
  const { haveMicrocredits } = (error instanceof Failure ? error.detail : {}) as { haveMicrocredits?: bigint }
  return haveMicrocredits
}

export function countSettled({ metrics }: App, { chargedMicrocredits, lossMicrocredits }: Settled): void {
  metrics.chargedMicrocredits.inc(Number(chargedMicrocredits))
  metrics.lostMicrocredits.inc(Number(lossMicrocredits))
}
