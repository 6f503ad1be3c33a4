import type { Clock } from '#platform/clock'
import type { UpstreamFault } from '#providers/spec'

/** Failures in a row that open a breaker. */
const failuresToOpen = 5
const firstOpenMs = 5_000
const longestOpenMs = 120_000

/** Faults that say something of the deployment, not of one request. */
const counting: ReadonlySet<UpstreamFault> = new Set<UpstreamFault>([
  'connect',
  'reset',
  'timeout',
  'unavailable',
  'overloaded',
  'malformed',
  'cut',
  'authentication',
  'not_found',
])

/**
 * Closed: calls go through. Open, after five failures in a row: none does, for five seconds, then twice as long each time
 * up to two minutes. Half-open: one call probes; its success closes the breaker, its failure opens it again.
 * A rate limit with a Retry-After rests the deployment for that time.
 */
export class Breaker {
  readonly #clock: Clock
  #failures = 0
  #openMs = firstOpenMs
  #closedUntilMs = 0
  #probing = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Unix milliseconds until which no call should go; in the past when calls may. */
  get restsUntilMs(): number {
    return this.#closedUntilMs
  }

  get isOpen(): boolean {
    return this.#clock.nowMs() < this.#closedUntilMs || this.#probing
  }

  /** Before a call: takes the one probe of a half-open breaker. */
  enter(): void {
    if (this.#failures >= failuresToOpen) this.#probing = true
  }

  succeeded(): void {
    this.#failures = 0
    this.#openMs = firstOpenMs
    this.#closedUntilMs = 0
    this.#probing = false
  }

  failed(fault: UpstreamFault, retryAfterMs: number | undefined): void {
    this.#probing = false
    const nowMs = this.#clock.nowMs()
    if (fault === 'rate_limited') {
      this.#closedUntilMs = Math.max(this.#closedUntilMs, nowMs + Math.min(retryAfterMs ?? 0, longestOpenMs))
      return
    }
    if (!counting.has(fault)) return
    this.#failures++
    if (this.#failures < failuresToOpen) return
    this.#closedUntilMs = nowMs + this.#openMs
    this.#openMs = Math.min(this.#openMs * 2, longestOpenMs)
  }
}
