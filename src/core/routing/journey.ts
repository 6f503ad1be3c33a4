/** One turn on its way through deployments until one answers it whole. */
import { type Model, textModels } from '#core/models'
import { type PartSink, type TextRun, UpstreamError } from '#core/spec'
import type { AnswerPart, Turn } from '#core/turn'
import { type Deadline, deadlines } from '#platform/clock'
import { OutputAllowance } from './allowance.ts'
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
import { withSingleBudget } from './budget.ts'
import { type TurnCandidate, turnFor } from './candidates.ts'
import { DeliveredAnswer, isVisible } from './delivered.ts'
import { Route, type RouteStep } from './route.ts'
import type { RunListener } from './routing.ts'
import type { RunningJourneys } from './under-way.ts'
import { verdictOf } from './verdict.ts'

export interface JourneyOptions extends JourneyContext {
  model: Model
  turn: Turn
  showsReasoning: boolean
  /** See `RunOptions`. */
  background?: boolean | undefined
  candidates: TurnCandidate[]
  breakerOf: (deployment: string) => Breaker
  /** Its `enter` is called when the journey begins, and the result is disposed when the journey ends. */
  underWay: RunningJourneys
  random: () => number
}

/** A call that is running. */
interface JourneyCall {
  candidate: TurnCandidate
  turn: Turn
  attempt: Attempt
  allowance: OutputAllowance
  /** When the call was sent, by `performance.now()`. */
  sentMs: number
  breaker: Breaker
  pass: BreakerPass
  /** True once part of the answer was delivered to the caller. */
  hasDelivered: boolean
  /**
   * Parts are buffered until part of the answer is delivered (without streaming, to its end), so that the caller sees nothing of an attempt
   * that fails before.
   */
  held: AnswerPart[]
  usage: AnswerPart | undefined
}

/**
 * A state machine: it waits for its next attempt (a pause, the check of the payer), an attempt is running, or it is over. Each method is one event;
 * the parts that an event yields are passed to the listener at once.
 */
export class Journey implements PartSink {
  readonly attempts: Attempt[] = []
  readonly failures: UpstreamError[] = []
  /** The model of the attempt that delivered last; before any delivery, that of the attempt started last. */
  model: Model
  turn: Turn
  skipsReasoning = false
  readonly #options: JourneyOptions
  readonly #route: Route<TurnCandidate>
  #listener!: RunListener
  #running: Disposable | undefined
  /** Set only if an interrupted answer may be continued. */
  readonly #delivered: DeliveredAnswer | undefined
  /** The fault that interrupted a partly delivered answer. */
  #interruption: UpstreamError | undefined
  #calling: JourneyCall | undefined
  #upstream: TextRun | undefined
  /** The pause before the next attempt. */
  #pause: Deadline | undefined
  #left = false
  #stopped = false
  #paused = false
  #over = false
  /** Drain slot of a call that is read on after its caller disconnected. */
  #drain: Disposable | undefined

  constructor(options: JourneyOptions) {
    this.#options = options
    this.#route = new Route(options)
    this.model = options.model
    this.turn = options.turn
    const mayContinue = options.model.resumes && options.turn.stream && !options.background
    this.#delivered = mayContinue ? new DeliveredAnswer(options.showsReasoning) : undefined
  }

  start(listener: RunListener): void {
    this.#listener = listener
    this.#running = this.#options.underWay.enter(this)
    this.#go(this.#route.first(), undefined)
  }

  /** Call when the caller disconnects: the running call is drained or cancelled by its provider's `on_disconnect`, and no other is started. */
  leave(): void {
    if (this.#left) return
    this.#left = true
    const call = this.#calling
    if (call) this.#drain = takeDrainSlot(this.#options, call.attempt)
    if (this.#drain) this.resume()
    else this.stop()
  }

  /** Ends the journey at once. */
  stop(): void {
    this.#stopped = true
    if (this.#calling) this.#upstream?.stop()
    else if (this.#pause) {
      this.#pause.cancel()
      this.#pause = undefined
      this.#failWith(this.#abortion())
    }
  }

  /** Pauses for a receiver that is behind; does nothing once the caller has left. */
  pause(): void {
    if (this.#left) return
    this.#paused = true
    this.#upstream?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#upstream?.resume()
  }

  part(part: AnswerPart): void {
    const call = this.#calling
    if (!call) return
    try {
      const cut = call.allowance.cut(part)
      if (!cut && call.attempt.first_part_ms === undefined) this.#noteFirst(call)
      if (cut) this.#overran(call, cut)
      else if (part.type === 'usage') call.usage = part
      else if (call.hasDelivered) this.#deliver(part)
      else if (this.#options.turn.stream && isVisible(part, this.#options.showsReasoning)) {
        this.#markDelivered(call)
        this.#deliver(part)
      } else this.#hold(call, part)
    } catch (error) {
      this.#broke(error)
    }
  }

  flush(): void {
    if (this.#calling?.hasDelivered) this.#guarded(() => this.#listener.flush())
  }

  done(): void {
    const call = this.#calling
    if (!call) return
    this.#guarded(() => {
      this.#answered(call)
      this.#end(call)
      for (const part of call.held) this.#listener.part(part)
      if (call.usage) this.#listener.part(call.usage)
      this.#finish()
      this.#listener.done()
    })
  }

  failed(error: UpstreamError): void {
    const call = this.#calling
    if (!call) return
    this.#guarded(() => {
      const failure = this.#failed(call, error)
      this.#end(call)
      // Output generated after the caller disconnected is still metered.
      if (call.hasDelivered || (failure.fault === 'aborted' && !this.#interruption)) {
        for (const part of call.held) this.#listener.part(part)
        if (call.usage) this.#listener.part(call.usage)
        this.#listener.flush()
      }
      this.#go(this.#after(call, failure), failure)
    })
  }

  /** Begins the next step, when its time has come, or ends with the failure. */
  #go(step: RouteStep<TurnCandidate> | undefined, failure: UpstreamError | undefined): void {
    if (!step) this.#failWith(this.#reportedFailure(failure))
    else if (step.waitMs > 0 && !this.#left && !this.#stopped) {
      this.#pause = deadlines.in(step.waitMs, () => {
        this.#pause = undefined
        this.#guarded(() => this.#admit(step))
      })
    } else this.#admit(step)
  }

  #admit(step: RouteStep<TurnCandidate>): void {
    // A waiting caller was authorized just before the first attempt.
    if (this.attempts.length === 0 && !this.#options.background) this.#ask(step)
    else
      requireAllowed(this.#options, step.candidate).then(
        () => this.#guarded(() => this.#ask(step)),
        (error: UpstreamError) => this.#guarded(() => this.#failWith(error)),
      )
  }

  #ask({ candidate }: RouteStep<TurnCandidate>): void {
    if (this.#left || this.#stopped) this.#failWith(this.#abortion())
    else {
      const { turn } = this.#begin(candidate)
      const { provider } = this.#options.upstreams.get(candidate.deployment.provider)!
      const call = callOptionsOf(this.#options, candidate.deployment, this.attempts.length)
      this.#upstream = textModels.callProvider(provider, { ...call, turn }, this)
      this.skipsReasoning = this.#upstream.skipsReasoning === true
      if (this.#paused) this.#upstream.pause()
    }
  }

  #begin(candidate: TurnCandidate): JourneyCall {
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
    const call: JourneyCall = {
      candidate,
      turn,
      attempt,
      allowance: new OutputAllowance(turn),
      sentMs: performance.now(),
      breaker,
      pass: breaker.enter(),
      hasDelivered: false,
      held: [],
      usage: undefined,
    }
    this.#calling = call
    if (!this.#interruption) this.#setCurrent(call)
    return call
  }

  #deliver(part: AnswerPart): void {
    this.#delivered?.add(part)
    this.#listener.part(part)
  }

  #hold({ attempt, held }: JourneyCall, part: AnswerPart): void {
    if (part.type === 'start' && part.upstreamId !== undefined)
      attempt.upstream_id = part.upstreamId.slice(0, 200)
    held.push(part)
  }

  /** The end of an answer that exceeded its limit. Wire-specific fields are dropped, since they may contain the untruncated answer. */
  #overran(call: JourneyCall, cut: readonly AnswerPart[]): void {
    this.#calling = undefined
    this.#upstream?.stop()
    this.#answered(call)
    call.attempt.overran = true
    this.#end(call)
    for (const { extra: _, ...part } of call.held)
      if (part.type !== 'extra' && part.type !== 'finish') this.#listener.part(part as AnswerPart)
    for (const part of cut) this.#listener.part(part)
    this.#listener.part({ type: 'finish', reason: 'length', cut: true })
    if (call.usage) this.#listener.part(call.usage)
    this.#finish()
    this.#listener.done()
  }

  #markDelivered(call: JourneyCall): void {
    call.hasDelivered = true
    call.breaker.onFirstToken(call.pass)
    this.#setCurrent(call)
    for (const part of call.held) this.#deliver(part)
    call.held = []
  }

  #setCurrent({ candidate, turn }: JourneyCall): void {
    this.model = candidate.model
    this.turn = turn
  }

  #answered(call: JourneyCall): void {
    call.attempt.outcome = 'answered'
    call.breaker.succeeded(call.pass)
    this.#setCurrent(call)
  }

  #failed({ attempt, breaker, pass }: JourneyCall, error: UpstreamError): UpstreamError {
    const failure = failAttempt(this.#options, attempt, error, this.#stopped)
    // Neither a timeout caused by the journey's deadline is a failure of the deployment, nor what its model wrote.
    const isItsOwn = !failure.byModel && !(failure.fault === 'timeout' && this.#isLate())
    breaker.failed(pass, isItsOwn ? failure.fault : 'aborted', failure.retryAfterMs)
    this.failures.push(failure)
    return failure
  }

  #end({ attempt, breaker, pass }: JourneyCall): void {
    this.#calling = undefined
    this.#upstream = undefined
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

  #finish(): void {
    this.#over = true
    this.#running?.[Symbol.dispose]()
  }

  #failWith(failure: UpstreamError): void {
    this.#finish()
    this.#listener.failed(failure)
  }

  /** Runs the work of one event; a defect of ours ends the journey without another attempt and without blame for the upstream. */
  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#broke(error)
    }
  }

  #broke(error: unknown): void {
    const call = this.#calling
    this.#calling = undefined
    const upstream = this.#upstream
    if (call) this.#end(call)
    upstream?.stop()
    if (this.#over) throw error
    this.#finish()
    this.#listener.failedInternally(error)
  }

  #abortion(): UpstreamError {
    return new UpstreamError('aborted', { executed: this.#interruption !== undefined })
  }

  /** The next step, unless too much was delivered or the deadline has passed. */
  #after(call: JourneyCall, failure: UpstreamError): RouteStep<TurnCandidate> | undefined {
    if (failure.fault === 'aborted') return undefined
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
      this.#route.rateLimitError(this.failures) ??
      failureToReport(this.failures) ??
      last ??
      new UpstreamError('unavailable', { executed: false, detail: 'no deployment can be asked now' })
    )
  }

  #isLate(waitMs = 0): boolean {
    return this.#options.clock.nowMs() + waitMs >= this.#options.deadlineMs
  }

  #noteFirst({ attempt, sentMs }: JourneyCall): void {
    this.#options.metrics.stages.first_byte.observeSince(sentMs)
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
