/** A paid order that is filled completely or not at all, whole or in parts (pictures, vectors, sound): held at its worst case, each part filled at most once. */
import type { AnyModel, ModelKind } from '#core/models'
import type { Attempt, OrderCandidate, OrderKind, OrderRun } from '#core/routing'
import { UpstreamError } from '#core/spec'
import type { PaidApp } from './app.ts'
import { leaveOnAbort } from './leave.ts'
import {
  type PaidCall,
  type PaidEnd,
  PaidRequest,
  type PaidRequestOptions,
  type PaidRequestResult,
} from './paid-request.ts'

/** The kind of the model that is ordered from, by its value in `core/models/kinds`. */
export interface OrderedKind<One extends OrderCandidate<AnyModel>, Filled>
  extends OrderKind<One['order'], Filled>,
    Pick<
      ModelKind<One['model'], never, never, never, unknown>,
      'operation' | 'attributes' | 'mayReleaseClaim'
    > {}

export type PaidOrderCall = PaidRequestOptions & PaidCall

/** The fields of `PaidEnd` that the order does not set itself. */
export type PaidOrderEnd = Omit<PaidEnd, 'model' | 'attempts' | 'fault' | 'freeClaim'>

/** Holds the worst case and prepares the order. Throws as `Ledger.hold` does. */
export async function startPaidOrder<One extends OrderCandidate<AnyModel>, Filled>(
  app: PaidApp,
  call: PaidOrderCall,
  kind: OrderedKind<One, Filled>,
  worstCase: bigint,
): Promise<PaidOrder<One, Filled>> {
  const request = new PaidRequest(app, call)
  await request.hold((take) => take(worstCase))
  const traceparent = request.telemetry.beginCall(kind.operation, kind.attributes ?? {})
  return new PaidOrder({ app, call, kind, request, traceparent })
}

/**
 * The requested model and those of its fallbacks that the caller may use and that can fill the order; `candidateOf` returns undefined for a
 * fallback that cannot.
 */
export function orderCandidates<One extends OrderCandidate<AnyModel>>(
  app: Pick<PaidApp, 'models'>,
  { model, caller }: Pick<PaidOrderCall, 'caller' | 'model'>,
  asked: One,
  candidateOf: (fallback: AnyModel) => One | undefined,
): One[] {
  const others = model.fallbacks.flatMap((id) => {
    const fallback = caller.models?.has(id) === false ? undefined : app.models.find(id)
    return (fallback?.kind === model.kind && candidateOf(fallback)) || []
  })
  return [asked, ...others]
}

interface PaidOrderContext<One extends OrderCandidate<AnyModel>, Filled> {
  app: PaidApp
  call: PaidOrderCall
  kind: OrderedKind<One, Filled>
  request: PaidRequest
  traceparent: string | undefined
}

/** How a part of an order ended. */
export type FilledPart<One, Done> =
  | { candidate: One; done: Done; fault?: undefined }
  | { candidate: One; fault: UpstreamError }

/** The most attempts of one part, so that the attempts of all parts have different ids. */
const maxAttempts = 100

export class PaidOrder<One extends OrderCandidate<AnyModel>, Filled> {
  readonly request: PaidRequest
  readonly #parts: PaidOrderContext<One, Filled>
  readonly #runs: OrderRun<One, Filled>[] = []
  #faults: UpstreamError[] = []
  #isFilled = false

  constructor(parts: PaidOrderContext<One, Filled>) {
    this.#parts = parts
    this.request = parts.request
  }

  /** The attempts of all parts, in their order. */
  get attempts(): readonly Attempt[] {
    return this.#runs.flatMap(({ attempts }) => attempts)
  }
  /** Why a part was not filled; undefined if all were. */
  get fault(): UpstreamError | undefined {
    return this.#faults[0]
  }
  /** True if no upstream can have executed anything. */
  get hadNoEffect(): boolean {
    const { kind, call } = this.#parts
    const failures = [...this.#runs.flatMap((run) => run.failures), ...this.#faults]
    return !this.#isFilled && failures.every((one) => kind.mayReleaseClaim(one, call.background === true))
  }

  /**
   * Orders a part from the first healthy candidate and processes the result by `finish`; never rejects. When the caller disconnects, the call is read
   * to its end if only its result is charged. Where the result can be fetched later, the parts after a filled one are read too: without them the
   * filled part would be lost. Background work is cut off by its worker's end, and continues or is cancelled according to the provider's
   * `on_disconnect`, as any other call.
   */
  async fill<Done>(
    candidates: readonly One[],
    finish: (filled: Filled, candidate: One) => Done | Promise<Done>,
  ): Promise<FilledPart<One, Done>> {
    const { call } = this.#parts
    const run = this.#start(candidates)
    this.#runs.push(run)
    const isStored = call.isStored === true && !call.background
    const continuesUnattended = isStored && call.isFetchable && this.#isFilled
    using _leaving = continuesUnattended ? undefined : leaveOnAbort({ ...call, isStored }, run)
    try {
      // The hold was timed for the parts before this one.
      if (this.#runs.length > 1) await this.#renew()
      const filled = await run.fill()
      this.#isFilled = true
      const done = await finish(filled, run.candidate)
      return { candidate: run.candidate, done }
    } catch (error) {
      const fault = error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error })
      this.#faults.push(fault)
      return { candidate: run.candidate, fault }
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.request.renew()
    } catch (cause) {
      throw new UpstreamError('unavailable', {
        executed: false,
        detail: 'the hold could not be renewed',
        cause,
      })
    }
  }

  #start(candidates: readonly One[]): OrderRun<One, Filled> {
    const { app, call, kind, request, traceparent } = this.#parts
    return app.inference.startOrder<One, Filled>({
      kind,
      candidates,
      background: call.background,
      receivedMs: call.receivedMs,
      // The time of the order begins here: a slow body, or one that took long to read, does not count.
      beganMs: app.clock.nowMs(),
      requestId: call.part?.id ?? call.requestId,
      earlierAttempts: this.#runs.length * maxAttempts,
      traceparent,
      mayCall: request.requireActivePayer,
    })
  }

  settle(end: PaidOrderEnd): Promise<PaidRequestResult> {
    return this.request.settle(this.endOf(end))
  }

  /** The whole end of the request, for callers that settle it themselves. */
  endOf(end: PaidOrderEnd): PaidEnd {
    const model = this.#runs.at(-1)?.candidate.model ?? this.#parts.call.model
    // An order of which a part was delivered has not failed.
    const fault = end.failure || !this.#isFilled ? this.fault : undefined
    return { ...end, model, attempts: this.attempts, fault, freeClaim: this.hadNoEffect }
  }
}

export const maxAmount = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => (a > b ? a : b))
