/** An order that is filled whole or not at all (pictures, vectors), paid exactly: held at its worst case, filled at most once. */
import type { App } from '#app'
import type { AnyModel } from '#engine/models'
import type { Attempt, OrderCandidate, OrderKind, OrderRun } from '#engine/routing'
import type { Attributes } from '#platform/trace'
import { UpstreamError } from '#providers/spec'
import { leaveWith } from './leave.ts'
import { type Finished, type PaidEnd, PaidRequest, type PaidRequestOptions } from './paid-request.ts'

/** What a kind of orders has of its own: how a provider is asked, and what the money goes by. */
export interface PaidOrderKind<One extends OrderCandidate, Filled> extends OrderKind<One['order'], Filled> {
  /** As spans name it (OpenTelemetry's conventions for generative AI). */
  operation: string
  attributes?: Attributes
  /** In micro-credits. */
  worstCase(one: One): bigint
  /** True when an upstream that failed so certainly did nothing, so that the idempotency key is free again. */
  didNothing(failure: UpstreamError, isBackground: boolean): boolean
}

/** Of an end what the order does not know by itself. */
export type PaidOrderEnd = Omit<PaidEnd, 'model' | 'attempts' | 'fault' | 'freeClaim'>

/**
 * Holds what the dearest of the candidates may cost, and orders of the first whose upstream is in good health. Throws as `Ledger.hold`
 * does.
 */
export async function startPaidOrder<One extends OrderCandidate<AnyModel>, Filled>(
  app: App,
  call: PaidRequestOptions,
  kind: PaidOrderKind<One, Filled>,
  candidates: readonly One[],
): Promise<PaidOrder<One, Filled>> {
  const request = new PaidRequest(app, call)
  await request.hold((take) => take(dearest(candidates.map((one) => kind.worstCase(one)))))
  const { receivedMs, requestId, background } = call
  const run = app.inference.startOrder<One, Filled>({
    kind,
    candidates,
    background,
    receivedMs,
    requestId,
    traceparent: request.watch.asks(kind.operation, kind.attributes ?? {}),
    mayAsk: request.mayPay,
  })
  return new PaidOrder({ call, kind, candidates, request, run })
}

/**
 * The asked model, and those of its fallbacks that the caller may use and that can fill the order; `of` answers undefined for one that
 * cannot.
 */
export function orderCandidates<One extends OrderCandidate<AnyModel>>(
  app: App,
  { model, caller }: Pick<PaidRequestOptions, 'caller' | 'model'>,
  asked: One,
  of: (fallback: AnyModel) => One | undefined,
): One[] {
  const others = model.fallbacks.flatMap((id) => {
    const fallback = caller.models?.has(id) === false ? undefined : app.models.find(id)
    return (fallback?.kind === model.kind && of(fallback)) || []
  })
  return [asked, ...others]
}

interface Parts<One extends OrderCandidate<AnyModel>, Filled> {
  call: PaidRequestOptions
  kind: PaidOrderKind<One, Filled>
  candidates: readonly One[]
  request: PaidRequest
  run: OrderRun<One, Filled>
}

export class PaidOrder<One extends OrderCandidate<AnyModel>, Filled> {
  readonly request: PaidRequest
  readonly #parts: Parts<One, Filled>
  #isFilled = false
  #fault: UpstreamError | undefined

  constructor(parts: Parts<One, Filled>) {
    this.#parts = parts
    this.request = parts.request
  }

  /** Who fills it, and what is ordered there; it can change until it is filled. */
  get candidate(): One {
    return this.#parts.run.candidate
  }
  get attempts(): readonly Attempt[] {
    return this.#parts.run.attempts
  }
  /** Why it was not filled. */
  get fault(): UpstreamError | undefined {
    return this.#fault
  }
  /** The caller left while it was worked on: the upstream will ask for its price. */
  get wasLeftAtWork(): boolean {
    return this.request.wasLeft(this.#fault) && this.#fault!.executed
  }
  /** No upstream can have done anything. */
  get isUntouched(): boolean {
    const { kind, run, call } = this.#parts
    const failures = this.#fault ? [...run.failures, this.#fault] : run.failures
    return !this.#isFilled && failures.every((one) => kind.didNothing(one, call.background === true))
  }

  /**
   * Once. What came, as `finish` makes it; undefined where it failed, and `fault` says why. When the caller goes away the call goes on or
   * ends by the provider's `on_disconnect`; whoever asked must wait for the end and then settle.
   */
  async filled<Done>(finish: (filled: Filled) => Done | Promise<Done>): Promise<Done | undefined> {
    const { call, run } = this.#parts
    using _leaving = leaveWith(call, run)
    try {
      const filled = await run.filled()
      this.#isFilled = true
      return await finish(filled)
    } catch (error) {
      this.#fault = error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error })
      return undefined
    }
  }

  settle(end: PaidOrderEnd): Promise<Finished> {
    const { request, attempts, fault } = this
    const { model } = this.candidate
    return request.settle({ ...end, model, attempts, fault, freeClaim: this.isUntouched })
  }
}

const dearest = (prices: readonly bigint[]): bigint =>
  prices.reduce((most, price) => (price > most ? price : most))
