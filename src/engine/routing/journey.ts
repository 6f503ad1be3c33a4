/** One turn on its way through deployments until one answers it whole. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Model, textModels } from '#engine/models'
import type { Part, Turn } from '#engine/turn'
import { UpstreamError } from '#providers/spec'
import { Allowance } from './allowance.ts'
import {
  type Attempt,
  beginAttempt,
  callTerms,
  drainOf,
  failAttempt,
  failureToReport,
  type JourneyTerms,
  requireAllowed,
} from './attempt.ts'
import type { Breaker, Pass } from './breaker.ts'
import { withSingleBudget } from './budget.ts'
import { type Candidate, turnFor } from './candidates.ts'
import { Delivered, isVisible } from './delivered.ts'
import { Route, type Step } from './route.ts'
import { verdictOf } from './verdict.ts'

export interface JourneyOptions extends JourneyTerms {
  model: Model
  turn: Turn
  showsReasoning: boolean
  /** As of `RunOptions`. */
  background?: boolean | undefined
  candidates: Candidate[]
  breakerOf: (deployment: string) => Breaker
  /** Called when the journey begins; what it answers is disposed of when it has ended. */
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
  /** True once something of it went out to the caller. */
  spoke: boolean
}

export class Journey {
  readonly attempts: Attempt[] = []
  readonly failures: UpstreamError[] = []
  /** Of the attempt that delivered last; before anything was delivered, of the one that was begun last. */
  model: Model
  turn: Turn
  readonly #options: JourneyOptions
  readonly #route: Route<Candidate>
  readonly #stop = new AbortController()
  /** Kept only where an answer may be gone on with. */
  readonly #delivered: Delivered | undefined
  /** The fault that cut an answer of which something had gone out. */
  #broken: UpstreamError | undefined
  #calling: Call | undefined
  #left = false
  /** The place of a call that is read on for a caller who left. */
  #drain: Disposable | undefined

  constructor(options: JourneyOptions) {
    this.#options = options
    this.#route = new Route(options)
    this.model = options.model
    this.turn = options.turn
    const mayGoOn = options.model.resumes && options.turn.stream && !options.background
    this.#delivered = mayGoOn ? new Delivered(options.showsReasoning) : undefined
  }

  /** The caller is gone: the running call ends by its provider's `on_disconnect`, and no other is begun. */
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
        throw new UpstreamError('aborted', { executed: this.#broken !== undefined })
      // Whoever waits was let in a moment before the first attempt.
      if (this.attempts.length > 0 || this.#options.background)
        await requireAllowed(this.#options, step.candidate)
      const call = this.#begin(step.candidate)
      // Held back until something of the answer goes out (of one that is not streamed, to its end): of an attempt that
      // fails before, the caller sees nothing at all.
      let held: Part[] = []
      let usage: Part | undefined
      const allowance = new Allowance(call.turn)
      let cut: Part[] | undefined
      try {
        for await (const part of this.#generate(call)) {
          cut = allowance.cut(part)
          // To stop reading here closes the connection.
          if (cut) break
          if (call.attempt.first_part_ms === undefined) this.#noteFirst(call)
          if (part.type === 'usage') usage = part
          else if (call.spoke || this.#opens(part)) {
            if (!call.spoke) {
              this.#speak(call)
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
        // What was written for a caller who left is metered, though nobody reads it.
        const counts = call.spoke || (failure.fault === 'aborted' && !this.#broken)
        if (counts) yield* held
        if (counts && usage) yield usage
      } finally {
        this.#end(call)
      }
    }
    throw this.#told(failure)
  }

  /** Whether this part is the first that the caller gets to see. */
  #opens(part: Part): boolean {
    return this.#options.turn.stream && isVisible(part, this.#options.showsReasoning)
  }

  #begin(candidate: Candidate): Call {
    const { model, deployment } = candidate
    const attempt = beginAttempt(this.#options, candidate)
    if (this.#broken) attempt.resumed = true
    this.attempts.push(attempt)
    const asked =
      this.#broken && this.#delivered ? this.#delivered.continuation(this.#options.turn) : this.#options.turn
    const turn = withSingleBudget(
      model,
      deployment,
      model === this.#options.model ? asked : turnFor(model, asked),
    )
    const breaker = this.#options.breakerOf(deployment.id)
    const sentMs = performance.now()
    const call = { candidate, turn, attempt, sentMs, breaker, pass: breaker.enter(), spoke: false }
    this.#calling = call
    if (!this.#broken) this.#name(call)
    return call
  }

  #generate({ candidate, turn }: Call): AsyncIterable<Part> {
    const { deployment } = candidate
    const { provider } = this.#options.upstreams.get(deployment.provider)!
    const terms = callTerms(this.#options, deployment, this.attempts.length)
    return textModels.ask(provider, { ...terms, turn, signal: this.#stop.signal })
  }

  /** The end of an answer that ran past its limit; what only its own wire knows, where nothing is out yet, would tell all of it. */
  *#overran({ attempt }: Call, held: readonly Part[], cut: readonly Part[]): Generator<Part> {
    attempt.overran = true
    for (const { extra: _, ...part } of held)
      if (part.type !== 'extra' && part.type !== 'finish') yield part as Part
    yield* cut
    yield { type: 'finish', reason: 'length', cut: true }
  }

  #speak(call: Call): void {
    call.spoke = true
    call.breaker.answering(call.pass)
    this.#name(call)
  }

  #name({ candidate, turn }: Call): void {
    this.model = candidate.model
    this.turn = turn
  }

  #answered(call: Call): void {
    call.attempt.outcome = 'answered'
    call.breaker.succeeded(call.pass)
    this.#name(call)
  }

  #failed({ attempt, breaker, pass }: Call, error: unknown): UpstreamError {
    const failure = failAttempt(this.#options, attempt, error, this.#stop.signal.aborted)
    // Whom we gave too little time, because others had used it up, did not fail.
    const fault = failure.fault === 'timeout' && this.#isLate() ? 'aborted' : failure.fault
    breaker.failed(pass, fault, failure.retryAfterMs)
    this.failures.push(failure)
    return failure
  }

  /** Also when a reader that stopped listening ended the generator. */
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

  /** Whom to ask next, unless the caller has seen too much or time is up. */
  #after(failure: UpstreamError | undefined): Step<Candidate> | undefined {
    const call = this.#calling
    this.#calling = undefined
    if (!call || !failure || failure.fault === 'aborted') return undefined
    if (this.#options.background && failure.executed) return undefined
    let verdict = verdictOf(failure)
    if (call.spoke) {
      if (!this.#delivered?.canBeContinued(this.#options.turn)) return undefined
      this.#broken ??= failure
      // The one that broke off is not the one to go on.
      if (verdict === 'again' || verdict === 'restart') verdict = 'elsewhere'
      // The order to go on is ours: one that does not take it says nothing against what the caller asked.
    } else if (this.#broken && failure.fault === 'invalid_request') verdict = 'elsewhere'
    const step = this.#route.after(call.candidate, failure, verdict)
    return step && !this.#isLate(step.waitMs) ? step : undefined
  }

  /** The failure that the caller is told of. */
  #told(last: UpstreamError | undefined): UpstreamError {
    if (last && (last.fault === 'aborted' || last.fault === 'content_refused')) return last
    return (
      this.#broken ??
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
