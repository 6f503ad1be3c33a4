/** One order that is filled whole or not at all (pictures, vectors) on its way through deployments until one fills it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Deployment, EmbeddingModel, ImageModel } from '#engine/models'
import { type Drawn, type Embedded, UpstreamError } from '#providers/spec'
import {
  type Attempt,
  beginAttempt,
  callTerms,
  drainOf,
  failAttempt,
  type JourneyTerms,
  requireAllowed,
  worthTelling,
} from './attempt.ts'
import type { Breaker, Pass } from './breaker.ts'
import { Route, type Step } from './route.ts'
import type { Upstream } from './routing.ts'
import { verdictOf } from './verdict.ts'

/** A deployment that may fill it, and what it is asked for: sizes and settings are its model's own. */
export interface OrderCandidate<Of, Order> {
  model: Of
  deployment: Deployment
  order: Order
}

export interface OrderRun<Of, Filled> {
  readonly attempts: readonly Attempt[]
  /** What went wrong on the way, in order. */
  readonly failures: readonly UpstreamError[]
  /** The model that filled it; before any did, the one that is or was tried last. */
  readonly model: Of
  /** Once. Throws `UpstreamError` when no attempt succeeded. */
  filled(): Promise<Filled>
  /** The caller is gone: the running call ends by its provider's `on_disconnect`, and no other is begun. */
  leave(): void
}

export type ImageRun = OrderRun<ImageModel, Drawn>
export type EmbeddingRun = OrderRun<EmbeddingModel, Embedded>

export interface OrderJourneyAsk<Of, Order, Filled> extends JourneyTerms {
  candidates: OrderCandidate<Of, Order>[]
  /** Asks one upstream once. */
  fill: (
    upstream: Upstream,
    call: ReturnType<typeof callTerms> & { order: Order; signal: AbortSignal },
  ) => Promise<Filled>
  /** Whether it may be ordered again after this: what may have been filled would be billed twice. */
  mayRepeat: (failure: UpstreamError) => boolean
  breakerOf: (deployment: string) => Breaker
  /** Called when the journey begins; what it answers is disposed of when it has ended. */
  enter: (journey: { stop(): void }) => Disposable
  random: () => number
}

interface Call<Candidate> {
  candidate: Candidate
  attempt: Attempt
  breaker: Breaker
  pass: Pass
}

export class OrderJourney<Of extends { id: string }, Order, Filled> implements OrderRun<Of, Filled> {
  readonly attempts: Attempt[] = []
  readonly failures: UpstreamError[] = []
  model: Of
  readonly #ask: OrderJourneyAsk<Of, Order, Filled>
  readonly #route: Route<OrderCandidate<Of, Order>>
  readonly #stop = new AbortController()
  #calling: Call<OrderCandidate<Of, Order>> | undefined
  #left = false
  #drain: Disposable | undefined

  constructor(ask: OrderJourneyAsk<Of, Order, Filled>) {
    this.#ask = ask
    this.#route = new Route(ask)
    this.model = ask.candidates[0]!.model
  }

  leave(): void {
    if (this.#left) return
    this.#left = true
    if (this.#calling) this.#drain = drainOf(this.#ask, this.#calling.attempt)
    if (!this.#drain) this.stop()
  }

  /** Ends it at once. */
  stop(): void {
    this.#stop.abort()
  }

  async filled(): Promise<Filled> {
    using _running = this.#ask.enter(this)
    let failure: UpstreamError | undefined
    let last: OrderCandidate<Of, Order> | undefined
    for (let step = this.#route.first(); step; step = this.#after(last, failure)) {
      if (step.waitMs > 0)
        await pause(step.waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
      if (this.#left || this.#stop.signal.aborted) throw new UpstreamError('aborted', { executed: false })
      if (this.attempts.length > 0) await requireAllowed(this.#ask, step.candidate)
      const call = this.#begin(step.candidate)
      try {
        const filled = await this.#fill(call)
        call.attempt.outcome = 'answered'
        call.breaker.succeeded(call.pass)
        return filled
      } catch (error) {
        failure = this.#failed(call, error)
        last = call.candidate
      } finally {
        this.#end(call)
      }
    }
    throw this.#route.limit(this.failures) ?? worthTelling(this.failures) ?? nobody()
  }

  #begin(candidate: OrderCandidate<Of, Order>): Call<OrderCandidate<Of, Order>> {
    const { model, deployment } = candidate
    const attempt = beginAttempt(this.#ask, candidate)
    this.attempts.push(attempt)
    this.model = model
    const breaker = this.#ask.breakerOf(deployment.id)
    this.#calling = { candidate, attempt, breaker, pass: breaker.enter() }
    return this.#calling
  }

  #fill({ candidate: { deployment, order } }: Call<OrderCandidate<Of, Order>>): Promise<Filled> {
    const upstream = this.#ask.upstreams.get(deployment.provider)!
    const terms = callTerms(this.#ask, deployment, this.attempts.length)
    return this.#ask.fill(upstream, { ...terms, order, signal: this.#stop.signal })
  }

  #failed({ attempt, breaker, pass }: Call<OrderCandidate<Of, Order>>, error: unknown): UpstreamError {
    const failure = failAttempt(this.#ask, attempt, error, this.#stop.signal.aborted)
    breaker.failed(pass, failure.fault, failure.retryAfterMs)
    this.failures.push(failure)
    return failure
  }

  #end({ attempt }: Call<OrderCandidate<Of, Order>>): void {
    this.#calling = undefined
    this.#drain?.[Symbol.dispose]()
    this.#drain = undefined
    attempt.ended_ms = this.#sinceReceivedMs()
    const { provider, deployment, outcome } = attempt
    this.#ask.metrics.upstreamAttempts.inc({ provider, deployment, outcome })
    this.#ask.metrics.upstreamSeconds.observe({ provider }, (attempt.ended_ms - attempt.started_ms) / 1000)
  }

  #after(
    last: OrderCandidate<Of, Order> | undefined,
    failure: UpstreamError | undefined,
  ): Step<OrderCandidate<Of, Order>> | undefined {
    if (!last || !failure || !this.#ask.mayRepeat(failure)) return undefined
    const step = this.#route.after(last, failure, verdictOf(failure))
    return step && this.#ask.clock.nowMs() + step.waitMs < this.#ask.deadlineMs ? step : undefined
  }

  #sinceReceivedMs(): number {
    return this.#ask.clock.nowMs() - this.#ask.receivedMs
  }
}

const nobody = (): UpstreamError =>
  new UpstreamError('unavailable', { executed: false, detail: 'no deployment can be asked now' })
