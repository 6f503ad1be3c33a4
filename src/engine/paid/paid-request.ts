/** One request that is paid, of whatever kind: held, asked, settled and explained in one way. What differs is handed in. */
import type { App, Caller } from '#app'
import type { AnyModel } from '#engine/models'
import type { Attempt } from '#engine/routing'
import { Failure } from '#platform/errors'
import type { Hold, Claim as IdempotencyClaim, Settled, Settlement } from '#platform/ledger'
import type { Attributes, Trail } from '#platform/trace'
import type { UpstreamError } from '#providers/spec'
import { alarmClaims, type Claim } from './claims.ts'
import { requireMayPay } from './may-pay.ts'
import { PaidWatch } from './watch.ts'

export interface PaidCall {
  caller: Caller
  endpoint: string
  requestId: string
  receivedMs: number
  claim?: IdempotencyClaim | undefined
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

export interface PaidRequestOptions extends PaidCall {
  model: AnyModel
  /** A whole answer that its caller can still fetch with the idempotency key is finished for one who went away. */
  isFetchable: boolean
}

/** What became of the money, and of the idempotency key. */
export interface Finished extends Settled {
  /** True where the key stays with this call: a repeat is answered or refused, never run. */
  keepsClaim: boolean
}

/** How a request ended: of its settlement what only its kind knows, and what its receipt tells. */
export interface PaidEnd
  extends Pick<
    Settlement,
    'microcredits' | 'withinHold' | 'statusCode' | 'tokens' | 'quantities' | 'reply' | 'urgent'
  > {
  /** The model that answered, or was tried last. */
  model: { id: string }
  attempts: readonly Attempt[]
  /** Why the upstream did not answer, if it did not. */
  fault: UpstreamError | undefined
  /** What the caller gets in place of an answer. */
  failure: Failure | undefined
  /** Nothing happened, as far as any upstream says: the idempotency key is free again. */
  freeClaim: boolean
  /** Figures of upstreams that were not believed. */
  claims: readonly Claim[]
  /** As `PaidRequest.outcome` when absent. */
  outcome?: string
  /** On the receipt before and after what all receipts have; never what was asked or answered. `attempts` may be told in another way. */
  detail: { head: Record<string, unknown>; attempts?: readonly Attempt[]; tail?: Record<string, unknown> }
  /** For the log line of the request. */
  figures: Record<string, number>
  /** For the span of the question. */
  attributes: Attributes
}

/** What an answer will be charged. */
export interface Charge {
  microcredits: bigint
  /** False where the database did not say whether the hold was raised: then it is settled at this, whatever it did cost. */
  isSure: boolean
}

/** As web servers log a caller who did not wait for the answer. */
const clientLeft = 499
const graceMs = 60_000
/** Others may take what is free meanwhile, so that the last credits are another number; after so many the hold is enough. */
const maxRaises = 4

export class PaidRequest {
  readonly watch: PaidWatch
  readonly #app: App
  readonly #call: PaidRequestOptions
  #hold!: Hold

  constructor(app: App, call: PaidRequestOptions) {
    this.#app = app
    this.#call = call
    this.watch = new PaidWatch(app, call)
  }

  /** In micro-credits, now. */
  get held(): bigint {
    return this.#hold.microcredits
  }
  /** Longer than the call can take. */
  get #lifetimeMs(): number {
    return this.#app.inference.longestMs(this.#call.model) + graceMs
  }
  get #isKept(): boolean {
    return this.#call.claim !== undefined || this.#call.background === true
  }

  /** Calls `plan` with what takes the hold, which it may try with less where that throws (as `Ledger.hold` does). */
  hold<Planned>(plan: (take: (microcredits: bigint) => Promise<void>) => Promise<Planned>): Promise<Planned> {
    return this.watch.hold(() => plan((microcredits) => this.#take(microcredits)))
  }

  async #take(microcredits: bigint): Promise<void> {
    const { caller, requestId, endpoint, model, claim, customerId, referenceId } = this.#call
    this.#hold = await this.#app.ledger.hold({
      payer: caller,
      receiptId: requestId,
      endpoint,
      model: model.id,
      microcredits,
      claim,
      customerId,
      referenceId,
      started: true,
      lifetimeMs: this.#lifetimeMs,
    })
    this.#app.metrics.heldMicrocredits.inc(Number(microcredits))
  }

  /** The hold promises so much from now on. Throws as `Hold.change` does. */
  change(microcredits: bigint): Promise<void> {
    return this.#hold.change(microcredits, this.#lifetimeMs)
  }

  /**
   * What an answer that cost so much will be charged, known before it leaves: the hold first takes what is free, up to that. Settle within
   * the hold afterwards, and the receipt says the same. Nearly every call cost less than its hold, and waits for nothing here.
   */
  async charge(microcredits: bigint): Promise<Charge> {
    let wanted = microcredits
    let isSure = true
    for (let tries = 0; tries < maxRaises && isSure && wanted > this.held; tries++) {
      try {
        await this.change(wanted)
      } catch (error) {
        const free = freeOf(error)
        isSure = free !== undefined
        wanted = this.held + (free ?? 0n)
      }
    }
    return { microcredits: microcredits < this.held ? microcredits : this.held, isSure }
  }

  /** Throws where whoever pays may pay for no more, or not for this model; see `requireMayPay`. */
  readonly mayPay = (model?: string): Promise<void> => requireMayPay(this.#app, this.#call.caller, model)

  /** The caller went away, and the call with him. */
  wasLeft(fault: UpstreamError | undefined): boolean {
    return fault?.fault === 'aborted' && this.#call.gone.aborted
  }

  /** As the receipt says it. An answer that was finished to be fetched later is as good as delivered. */
  outcome(failed: boolean): 'client_left' | 'failed' | 'completed' {
    if (this.#call.gone.aborted && (failed || !this.#call.isFetchable)) return 'client_left'
    return failed ? 'failed' : 'completed'
  }

  /** Ends the hold and tells of it. Resolves when it is durable; it never rejects. */
  async settle(end: PaidEnd): Promise<Finished> {
    const { requestId, claim } = this.#call
    const { attempts, fault, failure, attributes, claims, freeClaim } = end
    this.watch.answered(attempts, attributes, fault?.fault ?? failure?.code)
    const settled = await this.watch.settle(end, () => this.#hold.settle(this.#settlement(end)))
    const { chargedMicrocredits, lossMicrocredits } = settled
    this.#app.metrics.chargedMicrocredits.inc(Number(chargedMicrocredits))
    this.#app.metrics.lostMicrocredits.inc(Number(lossMicrocredits))
    alarmClaims(this.#app, requestId, attempts, claims)
    return { ...settled, keepsClaim: claim !== undefined && !freeClaim }
  }

  #settlement(end: PaidEnd): Settlement {
    const { microcredits, withinHold, tokens, quantities, freeClaim, reply, urgent } = end
    return {
      microcredits,
      ...(withinHold !== undefined && { withinHold }),
      state: hasFailed(end) ? 'failed' : 'completed',
      statusCode: this.wasLeft(end.fault) ? clientLeft : end.statusCode,
      model: end.model.id,
      ...(tokens && { tokens }),
      quantities,
      detail: this.#detail(end),
      reply: this.#isKept ? reply : undefined,
      freeClaim,
      urgent: urgent ?? this.#isKept,
    }
  }

  #detail(end: PaidEnd): Record<string, unknown> {
    const { claims, failure, fault, detail } = end
    return {
      outcome: end.outcome ?? this.outcome(hasFailed(end)),
      ...detail.head,
      ...(claims.length > 0 && { claims }),
      attempts: detail.attempts ?? end.attempts,
      total_ms: this.#app.clock.nowMs() - this.#call.receivedMs,
      ...detail.tail,
      ...(failure && { error_code: failure.code }),
      // In the background nothing else tells it from what came to nothing; nobody asks again.
      ...(this.#call.background && fault?.executed && { may_have_run: true }),
    }
  }
}

const hasFailed = ({ failure, fault }: PaidEnd): boolean => failure !== undefined || fault !== undefined

/** What is free by a refusal to hold more; unknown where the database is away or the hold was ended by somebody else. */
function freeOf(error: unknown): bigint | undefined {
  const { haveMicrocredits } = (error instanceof Failure ? error.detail : {}) as { haveMicrocredits?: bigint }
  return haveMicrocredits
}
