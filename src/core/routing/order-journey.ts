/** Runs one order, filled completely or not at all (pictures, vectors), through deployments until one fills it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Deployment, OrderProviders } from '#core/models'
import { UpstreamError } from '#core/spec'
import {
  type Attempt,
  beginAttempt,
  callOptionsOf,
  failAttempt,
  failureToReport,
  type JourneyContext,
  requireAllowed,
  takeDrainSlot,
} from './attempt.ts'
import type { Breaker, BreakerPass } from './breaker.ts'
import { Route, type RouteStep } from './route.ts'
import type { RunningJourneys } from './under-way.ts'
import { verdictOf } from './verdict.ts'

/** A model that may fill the order, with the order adapted to its sizes and settings. */
export interface OrderCandidate<Of extends { id: string } = { id: string }, Order = unknown> {
  model: Of
  order: Order
}

/** What routing needs of a kind of models whose orders are filled whole; the kind's value in `core/models/kinds` has it. */
export interface OrderKind<Order, Filled> {
  readonly kind: keyof OrderProviders
  readonly callProvider: (provider: never, call: OrderCall<Order>) => Promise<Filled>
  mayRepeat(failure: UpstreamError, isBackground: boolean): boolean
}

export type OrderCall<Order> = ReturnType<typeof callOptionsOf> & {
  order: Order
  signal: AbortSignal
  onUpstreamId: (id: string) => void
}

export interface OrderRun<One extends OrderCandidate, Filled> {
  readonly attempts: readonly Attempt[]
  /** Failures of the attempts, in order. */
  readonly failures: readonly UpstreamError[]
  /** The candidate that filled the order; before that, the one tried last. */
  readonly candidate: One
  /** Fills the order; call once. Throws `UpstreamError` when no attempt succeeded. */
  fill(): Promise<Filled>
  /**
   * Call when the caller disconnects: no other call is started. The running one is read to its end where `finishes` says so, else drained or
   * cancelled by its provider's `on_disconnect`.
   */
  leave(finishes?: boolean): void
}

/** A candidate at one of its deployments. */
interface CandidateDeployment<One extends OrderCandidate> {
  candidate: One
  model: One['model']
  deployment: Deployment
}

export interface OrderJourneyOptions<One extends OrderCandidate, Filled> extends JourneyContext {
  kind: OrderKind<One['order'], Filled>
  isBackground: boolean
  candidates: CandidateDeployment<One>[]
  breakerOf: (deployment: string) => Breaker
  /** Its `enter` is called when the journey begins, and the result is disposed when the journey ends. */
  underWay: RunningJourneys
  random: () => number
}

interface OrderJourneyCall<One extends OrderCandidate> {
  target: CandidateDeployment<One>
  attempt: Attempt
  breaker: Breaker
  pass: BreakerPass
}

export class OrderJourney<One extends OrderCandidate, Filled> implements OrderRun<One, Filled> {
  readonly attempts: Attempt[] = []
  readonly failures: UpstreamError[] = []
  candidate: One
  readonly #options: OrderJourneyOptions<One, Filled>
  readonly #route: Route<CandidateDeployment<One>>
  readonly #stop = new AbortController()
  #calling: OrderJourneyCall<One> | undefined
  #left = false
  #drain: Disposable | undefined

  constructor(options: OrderJourneyOptions<One, Filled>) {
    this.#options = options
    this.#route = new Route(options)
    this.candidate = options.candidates[0]!.candidate
  }

  leave(finishes = false): void {
    if (this.#left) return
    this.#left = true
    if (finishes && this.#calling) return
    if (this.#calling) this.#drain = takeDrainSlot(this.#options, this.#calling.attempt)
    if (!this.#drain) this.stop()
  }

  /** Ends the journey at once. */
  stop(): void {
    this.#stop.abort()
  }

  async fill(): Promise<Filled> {
    using _running = this.#options.underWay.enter(this)
    let failure: UpstreamError | undefined
    let last: CandidateDeployment<One> | undefined
    for (let step = this.#route.first(); step; step = this.#after(last, failure)) {
      if (step.waitMs > 0)
        await pause(step.waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
      if (this.#left || this.#stop.signal.aborted) throw new UpstreamError('aborted', { executed: false })
      if (this.attempts.length > 0) await requireAllowed(this.#options, step.candidate)
      const call = this.#begin(step.candidate)
      try {
        const filled = await this.#fill(call)
        call.attempt.outcome = 'answered'
        call.breaker.succeeded(call.pass)
        return filled
      } catch (error) {
        failure = this.#failed(call, error)
        last = call.target
      } finally {
        this.#end(call)
      }
    }
    throw this.#route.rateLimitError(this.failures) ?? failureToReport(this.failures) ?? noDeploymentError()
  }

  #begin(target: CandidateDeployment<One>): OrderJourneyCall<One> {
    const { candidate, deployment } = target
    const attempt = beginAttempt(this.#options, target)
    this.attempts.push(attempt)
    this.candidate = candidate
    const breaker = this.#options.breakerOf(deployment.id)
    this.#calling = { target, attempt, breaker, pass: breaker.enter() }
    return this.#calling
  }

  #fill({ target: { deployment, candidate }, attempt }: OrderJourneyCall<One>): Promise<Filled> {
    const { kind, upstreams } = this.#options
    // The catalogue gives a model only deployments whose provider speaks a dialect of its kind.
    const provider = upstreams.get(deployment.provider)!.orders[kind.kind] as never
    const call = callOptionsOf(this.#options, deployment, this.attempts.length)
    const onUpstreamId = (id: string): void => {
      attempt.upstream_id = id.slice(0, maxIdLength)
    }
    return kind.callProvider(provider, {
      ...call,
      order: candidate.order,
      signal: this.#stop.signal,
      onUpstreamId,
    })
  }

  #failed({ attempt, breaker, pass }: OrderJourneyCall<One>, error: unknown): UpstreamError {
    const failure = failAttempt(this.#options, attempt, error, this.#stop.signal.aborted)
    breaker.failed(pass, failure.fault, failure.retryAfterMs)
    this.failures.push(failure)
    return failure
  }

  #end({ attempt }: OrderJourneyCall<One>): void {
    this.#calling = undefined
    this.#drain?.[Symbol.dispose]()
    this.#drain = undefined
    attempt.ended_ms = this.#sinceReceivedMs()
    const { provider, deployment, outcome } = attempt
    this.#options.metrics.upstreamAttempts.inc({ provider, deployment, outcome })
    this.#options.metrics.upstreamSeconds.observe(
      { provider },
      (attempt.ended_ms - attempt.started_ms) / 1000,
    )
  }

  #after(
    last: CandidateDeployment<One> | undefined,
    failure: UpstreamError | undefined,
  ): RouteStep<CandidateDeployment<One>> | undefined {
    if (!last || !failure || !this.#options.kind.mayRepeat(failure, this.#options.isBackground))
      return undefined
    const step = this.#route.after(last, failure, verdictOf(failure))
    return step && this.#options.clock.nowMs() + step.waitMs < this.#options.deadlineMs ? step : undefined
  }

  #sinceReceivedMs(): number {
    return this.#options.clock.nowMs() - this.#options.receivedMs
  }
}

/** The most characters of an upstream's id that a receipt keeps. */
const maxIdLength = 200

const noDeploymentError = (): UpstreamError =>
  new UpstreamError('unavailable', { executed: false, detail: 'no deployment can be asked now' })
