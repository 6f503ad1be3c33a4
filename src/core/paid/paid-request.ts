/** One paid request of any kind: its hold, settlement and receipt follow one procedure; kind-specific parts are passed in. */
import { type AnyModel, type Cost, storedCost } from '#core/models'
import type { Attempt } from '#core/routing'
import type { UpstreamError } from '#core/spec'
import type { Caller } from '#platform/auth'
import type { Tx } from '#platform/db'
import { Failure } from '#platform/errors'
import type { Hold, Claim as IdempotencyClaim, Ledger, Settlement, SettlementResult } from '#platform/ledger'
import type { Attributes, TraceContext } from '#platform/trace'
import { requireActivePayer } from './active-payer.ts'
import type { PaidApp } from './app.ts'
import { alarmClaims, type UsageClaim } from './claims.ts'
import { PaidTelemetry } from './paid-telemetry.ts'

export interface PaidCall {
  caller: Caller
  endpoint: string
  requestId: string
  receivedMs: number
  claim?: IdempotencyClaim | undefined
  /**
   * Background work: a call that may have been executed is never repeated, the charge never exceeds the hold, and the finished JSON is
   * stored with the settlement even without a claim, so that it can be recovered after a crash.
   */
  background?: boolean
  customerId?: string | undefined
  referenceId?: string | undefined
  /** Aborts when the caller disconnects. */
  gone: AbortSignal
  /** The request's log line and spans. */
  trace?: TraceContext | undefined
  /** Set where the call is one of several that are paid together (`SharedHold`). */
  part?: RequestPart | undefined
  /** The headers of the answer that its repeat has too; read when the call is settled. */
  repeatedHeaders?: (() => Readonly<Record<string, string>>) | undefined
}

/** The field of a receipt from which the repeat of an answer takes its headers; empty without a reply that could be repeated, or without headers. */
export function answerHeadersDetail(
  { claim, repeatedHeaders }: Pick<PaidCall, 'claim' | 'repeatedHeaders'>,
  reply: string | undefined,
): { answer_headers?: Readonly<Record<string, string>> } {
  const headers = claim && reply !== undefined ? (repeatedHeaders?.() ?? {}) : {}
  return Object.keys(headers).length > 0 ? { answer_headers: headers } : {}
}

/** One of the calls of a request that has one hold, one settlement and one receipt. */
export interface RequestPart {
  /** A UUID, which identifies its attempts and the room for what it stores. */
  id: string
  hold: Ledger['hold']
  /** Calls `ended` once all calls are settled, with whether what they would write is written. */
  afterSettlement(ended: SettlementCallback): void
}

export type SettlementCallback = (isWritten: boolean) => Promise<void>

export interface PaidRequestOptions extends Omit<PaidCall, 'gone'> {
  /** Whether the caller has disconnected. */
  gone: { readonly aborted: boolean }
  model: AnyModel
  /** True if the answer is finished even when the caller disconnects, because it can be fetched with the idempotency key. */
  isFetchable: boolean
  /** Only a result that is stored or answered is charged: if this process dies before, the call is free. */
  isStored?: boolean
  /** How many calls may follow one another, each of which takes the longest time; default: 1. */
  rounds?: number
}

/** Result of a settlement: the charge, and whether the idempotency key stays claimed. */
export interface PaidRequestResult extends SettlementResult {
  /** True when the key stays with this call: a repeated request is replayed or refused, never executed. */
  keepsClaim: boolean
  /** True where a result that would have been stored may have been made: sending the request again would order, and charge, once more. */
  wasOrdered: boolean
}

/** How a request ended: the kind-specific fields of its settlement and receipt. */
export interface PaidEnd
  extends Pick<Settlement, 'withinHold' | 'statusCode' | 'tokens' | 'quantities' | 'reply' | 'urgent'> {
  /** What is charged, with the lines that the receipt shows. */
  cost: Cost
  /** The charge that the answer has stated, where that is less than the cost because the hold could not be raised; at most this is settled. */
  statedMicrocredits?: bigint | undefined
  /** What upstreams may bill beside the cost; nobody is charged for it. */
  lostMicrocredits?: bigint | undefined
  /** The model that answered, or else the last one tried. */
  model: { id: string }
  attempts: readonly Attempt[]
  /** The upstream's error, if it did not answer. */
  fault: UpstreamError | undefined
  /** The error returned to the caller instead of an answer. */
  failure: Failure | undefined
  /** True if nothing was executed, as far as the upstreams report: the idempotency key is released. */
  freeClaim: boolean
  /** Usage claims that were corrected. */
  claims: readonly UsageClaim[]
  /** Default: `PaidRequest.outcome`. */
  outcome?: string
  /** Receipt fields placed before and after those common to all receipts; never content. `attempts` replaces the plain attempts. */
  detail: { head: Record<string, unknown>; attempts?: readonly Attempt[]; tail?: Record<string, unknown> }
  /** Figures for the log line of the request. */
  figures: Record<string, number>
  /** Attributes for the span of the call. */
  attributes: Attributes
}

/** A cost, and what of it an answer has stated. */
export type StatedCost = Pick<PaidEnd, 'cost' | 'statedMicrocredits'>

/** The charge of an answer. */
export interface Charge {
  microcredits: bigint
  /** False when it is unknown whether the hold was raised (database error): then this amount is settled, whatever the cost. */
  isSure: boolean
}

/** The status by which web servers log that the client closed the request. */
const clientClosedStatus = 499
const graceMs = 60_000
/** Concurrent calls may change the free balance between two tries; after this many tries the hold stays as it is. */
const maxRaises = 4

export class PaidRequest {
  readonly telemetry: PaidTelemetry
  readonly #app: PaidApp
  readonly #call: PaidRequestOptions
  #hold!: Hold
  /** When the hold was last renewed for as long as one call may take. */
  #renewedMs = 0

  constructor(app: PaidApp, call: PaidRequestOptions) {
    this.#app = app
    this.#call = call
    this.telemetry = new PaidTelemetry(app, call)
  }

  /** The micro-credits that are held now. */
  get held(): bigint {
    return this.#hold.microcredits
  }
  /** How long the hold lives: longer than the longest possible call. */
  get #lifetimeMs(): number {
    const { model, rounds = 1 } = this.#call
    return rounds * this.#app.inference.maxMs(model) + graceMs
  }
  get #isKept(): boolean {
    return this.#call.claim !== undefined || this.#call.background === true
  }

  /** Calls `plan` with a function that takes the hold; `plan` may retry with less when it throws (as `Ledger.hold` does). */
  hold<Planned>(plan: (take: (microcredits: bigint) => Promise<void>) => Promise<Planned>): Promise<Planned> {
    return this.telemetry.hold(() => plan((microcredits) => this.#take(microcredits)))
  }

  async #take(microcredits: bigint): Promise<void> {
    const { caller, requestId, endpoint, model, claim, customerId, referenceId, isStored, part } = this.#call
    // The hold and its settlement are written to disk: without room for them nothing is ordered.
    if (!part) this.#app.space.require(['database', 'wal'])
    this.#renewedMs = this.#app.clock.nowMs()
    this.#hold = await (part ?? this.#app.ledger).hold({
      payer: caller,
      receiptId: requestId,
      endpoint,
      model: model.id,
      microcredits,
      claim,
      customerId,
      referenceId,
      started: true,
      freeIfLost: isStored,
      lifetimeMs: this.#lifetimeMs,
    })
  }

  /** Changes the held amount. Throws as `Hold.change` does. */
  change(microcredits: bigint): Promise<void> {
    return this.#hold.change(microcredits, this.#lifetimeMs)
  }

  /** Renews the hold before a further call, so that it outlives that call too. Throws as `Hold.renew` does. */
  async renew(): Promise<void> {
    const nowMs = this.#app.clock.nowMs()
    // Calls that begin nearly together need only one renewal.
    if (nowMs - this.#renewedMs < graceMs / 2) return
    await this.#hold.renew(this.#lifetimeMs)
    this.#renewedMs = nowMs
  }

  /**
   * The charge of an answer with this cost, known before it is delivered: if needed the hold is first raised from the free balance. Settle
   * within the hold afterwards, so that the receipt shows the same amount. Nearly every call costs less than its hold and returns at once.
   */
  async charge(microcredits: bigint): Promise<Charge> {
    let wanted = microcredits
    let isSure = true
    for (let tries = 0; tries < maxRaises && isSure && wanted > this.held; tries++) {
      try {
        await this.change(wanted)
      } catch (error) {
        const free = availableMicrocredits(error)
        isSure = free !== undefined
        wanted = this.held + (free ?? 0n)
      }
    }
    return { microcredits: microcredits < this.held ? microcredits : this.held, isSure }
  }

  /** Throws when the payer's key no longer permits paid work, or not with this model; see `requireActivePayer`. */
  readonly requireActivePayer = (model?: string): Promise<void> =>
    requireActivePayer(this.#app, this.#call.caller, model)

  /** Whether the caller disconnected and the call was aborted. */
  isClientDisconnect(fault: UpstreamError | undefined): boolean {
    return fault?.fault === 'aborted' && this.#call.gone.aborted
  }

  /** The outcome for the receipt. An answer finished to be fetched later counts as delivered. */
  outcome(failed: boolean): 'client_left' | 'failed' | 'completed' {
    if (this.#call.gone.aborted && (failed || !this.#call.isFetchable)) return 'client_left'
    return failed ? 'failed' : 'completed'
  }

  /** Settles the hold and records telemetry. Resolves when the settlement is durable; never rejects. */
  settle(end: PaidEnd): Promise<PaidRequestResult> {
    return this.#settle(end, () => this.#hold.settle(this.#settlement(end)))
  }

  /** Settles the hold in one transaction with what `write` writes. Throws as `Hold.settleWith` does; the hold is then still open. */
  settleWith(end: PaidEnd, write: (tx: Tx) => Promise<void>): Promise<PaidRequestResult> {
    return this.#settle(end, () => this.#hold.settleWith(this.#settlement(end), write))
  }

  /** Calls `ended` when what `settleWith` writes is durable; for one of several calls, that is when all of them are settled. */
  async afterSettlement(ended: SettlementCallback): Promise<void> {
    const { part } = this.#call
    if (part) part.afterSettlement(ended)
    else await ended(true)
  }

  async #settle(end: PaidEnd, settle: () => Promise<SettlementResult>): Promise<PaidRequestResult> {
    const { requestId, claim, isStored = false } = this.#call
    const { attempts, fault, failure, attributes, claims, freeClaim } = end
    this.telemetry.endCall(attempts, attributes, fault?.fault ?? failure?.code)
    // The alarm comes before the settlement, so that whoever sees the receipt finds it.
    alarmClaims(this.#app, requestId, attempts, claims)
    const settled = await this.telemetry.settle(end, settle)
    return { ...settled, keepsClaim: claim !== undefined && !freeClaim, wasOrdered: isStored && !freeClaim }
  }

  #settlement(end: PaidEnd): Settlement {
    const { cost, statedMicrocredits, lostMicrocredits, withinHold, tokens, quantities } = end
    const { freeClaim, reply, urgent } = end
    return {
      microcredits: (statedMicrocredits ?? cost.microcredits) + (lostMicrocredits ?? 0n),
      lostMicrocredits,
      withinHold,
      state: hasFailed(end) ? 'failed' : 'completed',
      statusCode: this.isClientDisconnect(end.fault) ? clientClosedStatus : end.statusCode,
      model: end.model.id,
      tokens,
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
      charge: storedCost(end.cost, end.model.id),
      ...answerHeadersDetail(this.#call, end.reply),
      // What ended a call whose caller left is no error of an upstream.
      ...(failure && !this.isClientDisconnect(fault) && { error_code: failure.code }),
      // For background work this alone distinguishes a possibly executed call from one without effect; it is not repeated.
      ...(this.#call.background && fault?.executed && { may_have_run: true }),
    }
  }
}

const hasFailed = ({ failure, fault }: PaidEnd): boolean => failure !== undefined || fault !== undefined

/** The free balance reported by a refused hold; undefined when the database failed or the hold was already ended. */
function availableMicrocredits(error: unknown): bigint | undefined {
  const { haveMicrocredits } = (error instanceof Failure ? error.detail : {}) as { haveMicrocredits?: bigint }
  return haveMicrocredits
}
