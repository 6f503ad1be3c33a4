/** Chooses the next deployment to call. */
import type { Deployment } from '#core/models'
import { UpstreamError } from '#core/spec'
import type { Breaker } from './breaker.ts'
import { pauseMs, type RetryVerdict } from './verdict.ts'

/** The most calls of one deployment for one turn: the first and two more. */
const maxTries = 3

/** A deployment that can be called; only text models have a context window. */
interface RouteCandidate {
  model: { id: string; contextLength?: number }
  deployment: Deployment
}

export interface RouteStep<One extends RouteCandidate> {
  candidate: One
  /** Milliseconds to wait before the call. */
  waitMs: number
}

export interface RouteOptions<One extends RouteCandidate> {
  candidates: readonly One[]
  breakerOf: (deployment: string) => Breaker
  random: () => number
}

export class Route<One extends RouteCandidate> {
  readonly #options: RouteOptions<One>
  /** Candidates before this one were called or skipped. */
  #position = 0
  #asked = 0
  #tries = 0
  #restarted = false

  constructor(options: RouteOptions<One>) {
    this.#options = options
  }

  /**
   * The first healthy candidate. If there is none, the one whose breaker closes soonest is called anyway, since refusing would help no caller.
   * Undefined when all are rate limited, by their own reports.
   */
  first(): RouteStep<One> | undefined {
    return this.#elsewhere() ?? this.#leastOpen()
  }

  /** The next step after `candidate` failed; undefined when no candidate is left. */
  after(candidate: One, failure: UpstreamError, verdict: RetryVerdict): RouteStep<One> | undefined {
    if (verdict === 'give-up') return undefined
    const again = { candidate, waitMs: pauseMs(failure, this.#tries, this.#options.random) }
    const mayRepeat = this.#tries < maxTries && !this.#breakerOf(candidate).isOpen
    if (verdict === 'again' && mayRepeat) {
      this.#tries++
      return again
    }
    const { model } = candidate
    const next = this.#elsewhere(
      verdict === 'other-model'
        ? (other) => (other.model.contextLength ?? 0) > (model.contextLength ?? 0)
        : undefined,
    )
    if (next || verdict !== 'restart' || !mayRepeat || this.#asked > 1 || this.#restarted) return next
    this.#restarted = true
    this.#tries++
    return again
  }

  /** A rate limit error with the shortest wait, if every candidate is rate limited. */
  rateLimitError(failures: readonly UpstreamError[]): UpstreamError | undefined {
    if (failures.some(({ fault }) => fault !== 'rate_limited')) return undefined
    const waits = this.#options.candidates.map((candidate) => this.#breakerOf(candidate).limitedForMs)
    const shortest = Math.min(...waits)
    if (shortest <= 0) return undefined
    const detail = 'every deployment of this model is resting for a rate limit'
    return new UpstreamError('rate_limited', { executed: false, retryAfterMs: Math.ceil(shortest), detail })
  }

  #elsewhere(fits: (candidate: One) => boolean = () => true): RouteStep<One> | undefined {
    const { candidates } = this.#options
    while (this.#position < candidates.length) {
      const candidate = candidates[this.#position++]!
      const breaker = this.#breakerOf(candidate)
      if (fits(candidate) && !breaker.isOpen && breaker.limitedForMs <= 0) return this.#take(candidate)
    }
    return undefined
  }

  #leastOpen(): RouteStep<One> | undefined {
    const open = this.#options.candidates.filter((candidate) => this.#breakerOf(candidate).limitedForMs <= 0)
    const forMs = (candidate: One): number => this.#breakerOf(candidate).openForMs
    const [least] = open.sort((a, b) => forMs(a) - forMs(b))
    return least && this.#take(least)
  }

  #take(candidate: One): RouteStep<One> {
    this.#asked++
    this.#tries = 1
    return { candidate, waitMs: 0 }
  }

  #breakerOf({ deployment }: RouteCandidate): Breaker {
    return this.#options.breakerOf(deployment.id)
  }
}
