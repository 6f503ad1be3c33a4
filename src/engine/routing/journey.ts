/** One turn on its way through deployments until one answers it whole. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Model, textModels } from '#engine/models'
import type { Part, Turn } from '#engine/turn'
import { UpstreamError } from '#providers/spec'
import { Allowance } from './allowance.ts'
import {
  type Attempt,
  beginAttempt,
  callOptionsOf,
  drainOf,
  failAttempt,
  failureToReport,
  type JourneyContext,
  requireAllowed,
} from './attempt.ts'
import type { Breaker, Pass } from './breaker.ts'
import { withSingleBudget } from './budget.ts'
import { type Candidate, turnFor } from './candidates.ts'
import { Delivered, isVisible } from './delivered.ts'
import { Route, type Step } from './route.ts'
import { verdictOf } from './verdict.ts'

export interface JourneyOptions extends JourneyContext {
  model: Model
  turn: Turn
  showsReasoning: boolean
  /** See `RunOptions`. */
  background?: boolean | undefined
  candidates: Candidate[]
  breakerOf: (deployment: string) => Breaker
  /** Called when the journey begins; its result is disposed when the journey ends. */
  enter: (journey: Journey) => Disposable
  random: () => number
}

/** A call that is running. */
interface Call {
  candidate: Candidate
  turn: Turn
  attempt: Attempt
  /** A moment of `performance.now()`. */
  sentMs: number
  breaker: Breaker
  pass: Pass
  /** True once part of it was delivered to the caller. */
  hasDelivered: boolean
}

export class Journey {
  readonly attempts: Attempt[] = []
  readonly failures: UpstreamError[] = []
  /** Of the attempt that delivered last; before any delivery, of the one started last. */
  model: Model
  turn: Turn
  readonly #options: JourneyOptions
  readonly #route: Route<Candidate>
  readonly #stop = new AbortController()
  /** Set only if an interrupted answer may be continued. */
  readonly #delivered: Delivered | undefined
  /** The fault that interrupted a partly delivered answer. */
  #interruption: UpstreamError | undefined
  #calling: Call | undefined
  #left = false
  /** Drain slot of a call that is read on after its caller disconnected. */
  #drain: Disposable | undefined

  constructor(options: JourneyOptions) {
    this.#options = options
    this.#route = new Route(options)
    this.model = options.model
    this.turn = options.turn
    const mayContinue = options.model.resumes && options.turn.stream && !options.background
    this.#delivered = mayContinue ? new Delivered(options.showsReasoning) : undefined
  }

  /** The caller disconnected: the running call is drained or cancelled by its provider's `on_disconnect`, and no other is started. */
  leave(): void {
    if (this.#left) return
    this.#left = true
    const call = this.#calling
    if (call?.attempt.outcome === 'running') this.#drain = drainOf(this.#options, call.attempt)
    if (!this.#drain) this.stop()
  }

  /** Ends it at once. */
  stop(): void {
    this.#stop.abort()
  }

  async *parts(): AsyncGenerator<Part> {
    using _running = this.#options.enter(this)
    let failure: UpstreamError | undefined
    for (let step = this.#route.first(); step; step = this.#after(failure)) {
      if (step.waitMs > 0)
        await pause(step.waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined)
      if (this.#left || this.#stop.signal.aborted)
        throw new UpstreamError('aborted', { executed: this.#interruption !== undefined })
      // A waiting caller was authorized just before the first attempt.
      if (this.attempts.length > 0 || this.#options.background)
        await requireAllowed(this.#options, step.candidate)
      const call = this.#begin(step.candidate)
      // Parts are buffered until part of the answer is delivered (without streaming, to its end), so that the caller sees
      // nothing of an attempt that fails before.
      let held: Part[] = []
      let usage: Part | undefined
      const allowance = new Allowance(call.turn)
      let cut: Part[] | undefined
      try {
        for await (const part of this.#generate(call)) {
          cut = allowance.cut(part)
          // Leaving the loop closes the connection.
          if (cut) break
          if (call.attempt.first_part_ms === undefined) this.#noteFirst(call)
          if (part.type === 'usage') usage = part
          else if (call.hasDelivered || this.#isFirstVisible(part)) {
            if (!call.hasDelivered) {
              this.#markDelivered(call)
              yield* held
              held = []
            }
            this.#delivered?.add(part)
            yield part
          } else {
            if (part.type === 'start' && part.upstreamId !== undefined)
              call.attempt.upstream_id = part.upstreamId.slice(0, 200)
            held.push(part)
          }
        }
        this.#answered(call)
        yield* cut ? this.#overran(call, held, cut) : held
        if (usage) yield usage
        return
      } catch (error) {
        failure = this.#failed(call, error)
        // Output generated after the caller disconnected is still metered.
        const counts = call.hasDelivered || (failure.fault === 'aborted' && !this.#interruption)
        if (counts) yield* held
        if (counts && usage) yield usage
      } finally {
        this.#end(call)
      }
    }
    throw this.#reportedFailure(failure)
  }

  /** Whether delivery starts with this part. */
  #isFirstVisible(part: Part): boolean {
    return this.#options.turn.stream && isVisible(part, this.#options.showsReasoning)
  }

  #begin(candidate: Candidate): Call {
    const { model, deployment } = candidate
    const attempt = beginAttempt(this.#options, candidate)
    if (this.#interruption) attempt.resumed = true
    this.attempts.push(attempt)
    const asked =
      this.#interruption && this.#delivered
        ? this.#delivered.continuation(this.#options.turn)
        : this.#options.turn
    const turn = withSingleBudget(
      model,
      deployment,
      model === this.#options.model ? asked : turnFor(model, asked),
    )
    const breaker = this.#options.breakerOf(deployment.id)
    const sentMs = performance.now()
    const call = { candidate, turn, attempt, sentMs, breaker, pass: breaker.enter(), hasDelivered: false }
    this.#calling = call
    if (!this.#interruption) this.#setCurrent(call)
    return call
  }

  #generate({ candidate, turn }: Call): AsyncIterable<Part> {
    const { deployment } = candidate
    const { provider } = this.#options.upstreams.get(deployment.provider)!
    const call = callOptionsOf(this.#options, deployment, this.attempts.length)
    return textModels.ask(provider, { ...call, turn, signal: this.#stop.signal })
  }

  /** The end of an answer that exceeded its limit. Wire-specific fields are dropped, since they may contain the untruncated answer. */
  *#overran({ attempt }: Call, held: readonly Part[], cut: readonly Part[]): Generator<Part> {
    attempt.overran = true
    for (const { extra: _, ...part } of held)
      if (part.type !== 'extra' && part.type !== 'finish') yield part as Part
    yield* cut
    yield { type: 'finish', reason: 'length', cut: true }
  }

  #markDelivered(call: Call): void {
    call.hasDelivered = true
    call.breaker.answering(call.pass)
    this.#setCurrent(call)
  }

  #setCurrent({ candidate, turn }: Call): void {
    this.model = candidate.model
    this.turn = turn
  }

  #answered(call: Call): void {
    call.attempt.outcome = 'answered'
    call.breaker.succeeded(call.pass)
    this.#setCurrent(call)
  }

  #failed({ attempt, breaker, pass }: Call, error: unknown): UpstreamError {
    const failure = failAttempt(this.#options, attempt, error, this.#stop.signal.aborted)
    // A timeout caused by the journey's deadline is not a failure of the deployment.
    const fault = failure.fault === 'timeout' && this.#isLate() ? 'aborted' : failure.fault
    breaker.failed(pass, fault, failure.retryAfterMs)
    this.failures.push(failure)
    return failure
  }

  /** Also called when the consumer stops iterating. */
  #end({ attempt, breaker, pass }: Call): void {
    this.#drain?.[Symbol.dispose]()
    this.#drain = undefined
    if (attempt.outcome === 'running') {
      attempt.outcome = 'aborted'
      breaker.failed(pass, 'aborted', undefined)
    }
    attempt.ended_ms = this.#sinceReceivedMs()
    const { provider, deployment, outcome } = attempt
    this.#options.metrics.upstreamAttempts.inc({ provider, deployment, outcome })
  }

  /** The next step, unless too much was delivered or the deadline has passed. */
  #after(failure: UpstreamError | undefined): Step<Candidate> | undefined {
    const call = this.#calling
    this.#calling = undefined
    if (!call || !failure || failure.fault === 'aborted') return undefined
    if (!textModels.mayRepeat(failure, this.#options.background === true)) return undefined
    let verdict = verdictOf(failure)
    if (call.hasDelivered) {
      if (!this.#delivered?.canBeContinued(this.#options.turn)) return undefined
      this.#interruption ??= failure
      // The interrupted deployment does not continue its own answer.
      if (verdict === 'again' || verdict === 'restart') verdict = 'elsewhere'
      // The continue instruction is ours: refusing it does not make the caller's request invalid.
    } else if (this.#interruption && failure.fault === 'invalid_request') verdict = 'elsewhere'
    const step = this.#route.after(call.candidate, failure, verdict)
    return step && !this.#isLate(step.waitMs) ? step : undefined
  }

  /** The failure reported to the caller. */
  #reportedFailure(last: UpstreamError | undefined): UpstreamError {
    if (last && (last.fault === 'aborted' || last.fault === 'content_refused')) return last
    return (
      this.#interruption ??
      this.#route.limit(this.failures) ??
      failureToReport(this.failures) ??
      last ??
      new UpstreamError('unavailable', { executed: false, detail: 'no deployment can be asked now' })
    )
  }

  #isLate(waitMs = 0): boolean {
    return this.#options.clock.nowMs() + waitMs >= this.#options.deadlineMs
  }

  #noteFirst({ attempt, sentMs }: Call): void {
    this.#options.metrics.stages.first_byte.since(sentMs)
    attempt.first_part_ms = this.#sinceReceivedMs()
    this.#options.metrics.upstreamSeconds.observe(
      { provider: attempt.provider },
      (attempt.first_part_ms - attempt.started_ms) / 1000,
    )
  }

  #sinceReceivedMs(): number {
    return this.#options.clock.nowMs() - this.#options.receivedMs
  }
}
