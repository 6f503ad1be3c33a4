/** A paid order that is filled completely or not at all (pictures, vectors): held at its worst case, filled at most once. */
import type { App } from '#app'
import type { AnyModel, ModelKind } from '#engine/models'
import type { Attempt, OrderCandidate, OrderKind, OrderRun } from '#engine/routing'
import { UpstreamError } from '#providers/spec'
import { leaveOnAbort } from './leave.ts'
import {
  type Finished,
  type PaidCall,
  type PaidEnd,
  PaidRequest,
  type PaidRequestOptions,
} from './paid-request.ts'

/** The kind that is ordered from, by its value in `engine/models/kinds`. */
export interface OrderedKind<One extends OrderCandidate<AnyModel>, Filled>
  extends OrderKind<One['order'], Filled>,
    Pick<
      ModelKind<One['model'], never, never, One['order'], unknown>,
      'operation' | 'attributes' | 'worstCase' | 'mayReleaseClaim'
    > {}

export type PaidOrderCall = PaidRequestOptions & PaidCall

/** The fields of `PaidEnd` that the order does not set itself. */
export type PaidOrderEnd = Omit<PaidEnd, 'model' | 'attempts' | 'fault' | 'freeClaim'>

/**
 * Holds the worst case of the most expensive candidate and prepares the run, which calls the first healthy upstream. Throws as
 * `Ledger.hold` does.
 */
export async function startPaidOrder<One extends OrderCandidate<AnyModel>, Filled>(
  app: App,
  call: PaidOrderCall,
  kind: OrderedKind<One, Filled>,
  candidates: readonly One[],
): Promise<PaidOrder<One, Filled>> {
  const request = new PaidRequest(app, call)
  const worstCases = candidates.map(({ model, order }) => kind.worstCase(model, app.config.defaults, order))
  await request.hold((take) => take(highest(worstCases)))
  const { receivedMs, requestId, background } = call
  const run = app.inference.startOrder<One, Filled>({
    kind,
    candidates,
    background,
    receivedMs,
    requestId,
    traceparent: request.telemetry.beginCall(kind.operation, kind.attributes ?? {}),
    mayCall: request.requireActivePayer,
  })
  return new PaidOrder({ call, kind, candidates, request, run })
}

/**
 * The requested model and those of its fallbacks that the caller may use and that can fill the order; `of` returns undefined for a
 * fallback that cannot.
 */
export function orderCandidates<One extends OrderCandidate<AnyModel>>(
  app: App,
  { model, caller }: Pick<PaidOrderCall, 'caller' | 'model'>,
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
  call: PaidOrderCall
  kind: OrderedKind<One, Filled>
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

  /** The current candidate; it can change until the order is filled. */
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
  /** The caller disconnected while the upstream was working, so the upstream will bill for it. */
  get wasAbandoned(): boolean {
    return this.request.isClientDisconnect(this.#fault) && this.#fault!.executed
  }
  /** No upstream can have executed anything. */
  get hadNoEffect(): boolean {
    const { kind, run, call } = this.#parts
    const failures = this.#fault ? [...run.failures, this.#fault] : run.failures
    return !this.#isFilled && failures.every((one) => kind.mayReleaseClaim(one, call.background === true))
  }

  /**
   * Call once. Returns the result processed by `finish`, or undefined if the order failed (see `fault`). When the caller disconnects the
   * call continues or is cancelled according to the provider's `on_disconnect`. Await the result, then call `settle`.
   */
  async filled<Done>(finish: (filled: Filled) => Done | Promise<Done>): Promise<Done | undefined> {
    const { call, run } = this.#parts
    using _leaving = leaveOnAbort(call, run)
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
    return request.settle({ ...end, model, attempts, fault, freeClaim: this.hadNoEffect })
  }
}

const highest = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => (a > b ? a : b))
