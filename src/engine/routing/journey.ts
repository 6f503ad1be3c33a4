/** One turn on its way through deployments until one answers it whole. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Part, Turn } from '#engine/inference'
import type { Model } from '#engine/models'
import type { Clock } from '#platform/clock'
import type { Metrics } from '#platform/metrics'
import { UpstreamError } from '#providers/spec'
import type { Attempt } from './attempt.ts'
import type { Breaker } from './breaker.ts'
import type { Candidate } from './candidates.ts'
import { Delivered, isVisible } from './delivered.ts'
import type { Upstream } from './routing.ts'
import { pauseMs, verdictOf } from './verdict.ts'

export interface JourneyAsk {
  model: Model
  turn: Turn
  stop: AbortController
  receivedMs: number
  requestId: string
  candidates: Candidate[]
  upstreams: ReadonlyMap<string, Upstream>
  breakerOf: (deployment: string) => Breaker
  clock: Clock
  metrics: Metrics
  random: () => number
  /** Unix milliseconds by which the whole journey ends. */
  deadlineMs: number
}

/** Calls of one deployment for one turn: the first and two more. */
const mostTries = 3

export class Journey {
  readonly attempts: Attempt[] = []
  readonly failures: UpstreamError[] = []
  current: Candidate
  readonly #ask: JourneyAsk
  readonly #delivered = new Delivered()
  #turn: Turn

  constructor(ask: JourneyAsk) {
    this.#ask = ask
    this.#turn = ask.turn
    this.current = ask.candidates[0]!
  }

  async *parts(): AsyncGenerator<Part> {
    let failure: UpstreamError | undefined
    for (const candidate of this.#inReach()) {
      if (failure && verdictOf(failure) === 'other-model' && candidate.model === this.current.model) continue
      this.current = candidate
      failure = yield* this.#insist(candidate)
      if (!failure) return
      if (!this.#mayGoOn(failure)) break
    }
    throw (
      failure ??
      new UpstreamError('unavailable', {
        executed: false,
        detail: 'no deployment of this model can be called now',
      })
    )
  }

  /** Those whose breaker is closed; when none is, the one that rests least is asked all the same: a refusal would help nobody. */
  *#inReach(): Generator<Candidate> {
    const { candidates, breakerOf } = this.#ask
    let any = false
    for (const candidate of candidates) {
      if (breakerOf(candidate.deployment.id).isOpen) continue
      any = true
      yield candidate
    }
    if (any) return
    const rest = (candidate: Candidate): number => breakerOf(candidate.deployment.id).restsUntilMs
    yield candidates.reduce((best, one) => (rest(one) < rest(best) ? one : best))
  }

  /** Asks one deployment until it answers, or its fault is not one that a second call mends. */
  async *#insist(candidate: Candidate): AsyncGenerator<Part, UpstreamError | undefined> {
    for (let tries = 1; ; tries++) {
      const failure = yield* this.#attempt(candidate)
      if (!failure || this.#delivered.any || verdictOf(failure) !== 'again' || tries === mostTries)
        return failure
      const waitMs = pauseMs(failure, tries, this.#ask.random)
      if (this.#ask.clock.nowMs() + waitMs >= this.#ask.deadlineMs) return failure
      await pause(waitMs, undefined, { signal: this.#ask.stop.signal }).catch(() => {})
      if (this.#ask.stop.signal.aborted) return new UpstreamError('aborted', { executed: false })
    }
  }

  /** After a failure: another deployment, unless the request itself is at fault, the caller has seen too much, or time is up. */
  #mayGoOn(failure: UpstreamError): boolean {
    if (verdictOf(failure) === 'give-up' || this.#ask.clock.nowMs() >= this.#ask.deadlineMs) return false
    if (!this.#delivered.any) return true
    if (!this.#ask.model.resumes || !this.#delivered.canBeContinued(this.#ask.turn)) return false
    this.#turn = this.#delivered.continuation(this.#ask.turn)
    return true
  }

  async *#attempt(candidate: Candidate): AsyncGenerator<Part, UpstreamError | undefined> {
    const { stop, clock, receivedMs, metrics } = this.#ask
    const upstream = this.#ask.upstreams.get(candidate.deployment.provider)!
    const breaker = this.#ask.breakerOf(candidate.deployment.id)
    const attempt = this.#note(candidate)
    breaker.enter()
    // Held back until something of the answer goes out (of one that is not streamed, to its end): of an attempt that fails
    // before, the caller sees nothing at all.
    let held: Part[] = []
    let usage: Part | undefined
    try {
      for await (const part of upstream.provider.generate({
        turn: this.#turnFor(candidate.model),
        upstreamModel: candidate.deployment.model,
        signal: stop.signal,
        timeouts: {
          ...upstream.timeouts,
          totalMs: Math.max(1, Math.min(upstream.timeouts.totalMs, this.#ask.deadlineMs - clock.nowMs())),
        },
        attemptId: `${this.#ask.requestId}-${this.attempts.length}`,
      })) {
        if (attempt.first_part_ms === undefined) this.#noteFirst(attempt)
        if (part.type === 'start' && part.upstreamId !== undefined)
          attempt.upstream_id = part.upstreamId.slice(0, 200)
        if (part.type === 'usage') usage = part
        else if (!this.#ask.turn.stream || (!this.#delivered.any && !isVisible(part))) held.push(part)
        else {
          yield* held
          held = []
          this.#delivered.add(part)
          yield part
        }
      }
      attempt.outcome = 'answered'
      breaker.succeeded()
      yield* held
      if (usage) yield usage
      return undefined
    } catch (error) {
      const failure =
        error instanceof UpstreamError
          ? error
          : new UpstreamError(stop.signal.aborted ? 'aborted' : 'malformed', { cause: error })
      attempt.outcome = failure.fault
      if (failure.status !== undefined) attempt.status = failure.status
      if (failure.detail !== undefined) attempt.detail = failure.detail
      breaker.failed(failure.fault, failure.retryAfterMs)
      this.failures.push(failure)
      if (usage && this.#delivered.any) yield usage
      return failure
    } finally {
      // A reader that stopped listening ends the generator here.
      if (attempt.outcome === 'running') {
        attempt.outcome = 'aborted'
        breaker.failed('aborted', undefined)
      }
      attempt.ended_ms = clock.nowMs() - receivedMs
      metrics.upstreamAttempts.inc({ provider: attempt.provider, outcome: attempt.outcome })
    }
  }

  #turnFor(model: Model): Turn {
    return model.maxOutputTokens < this.#turn.maxOutputTokens
      ? { ...this.#turn, maxOutputTokens: model.maxOutputTokens }
      : this.#turn
  }

  #note({ model, deployment }: Candidate): Attempt {
    const attempt: Attempt = {
      model: model.id,
      deployment: deployment.id,
      provider: deployment.provider,
      started_ms: this.#ask.clock.nowMs() - this.#ask.receivedMs,
      outcome: 'running',
      ...(this.#delivered.any && { resumed: true }),
    }
    this.attempts.push(attempt)
    return attempt
  }

  #noteFirst(attempt: Attempt): void {
    attempt.first_part_ms = this.#ask.clock.nowMs() - this.#ask.receivedMs
    this.#ask.metrics.upstreamSeconds.observe(
      { provider: attempt.provider },
      (attempt.first_part_ms - attempt.started_ms) / 1000,
    )
  }
}
