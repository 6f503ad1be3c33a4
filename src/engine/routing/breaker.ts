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
/** Faults that only a deployment in good health finds. */
const healthy: ReadonlySet<UpstreamFault> = new Set<UpstreamFault>([
  'invalid_request',
  'context_overflow',
  'content_refused',
])

/** One call's leave to pass, to be given back with its outcome. */
export interface Pass {
  /** How often the breaker had opened before this call: what began before the last opening says nothing of the time since. */
  readonly openings: number
  readonly probe: boolean
}

/**
 * Closed: calls go through. Open, after five failures in a row: none should, for five seconds, then twice as long each time
 * up to two minutes. Half-open: one call at a time probes; its first token lets the others in again, its end closes the
 * breaker, its failure opens it. A rate limit with a Retry-After rests the deployment for that time, whatever the breaker says.
 */
export class Breaker {
  readonly #clock: Clock
  #failures = 0
  #openings = 0
  #openMs = firstOpenMs
  #openUntilMs = 0
  #limitedUntilMs = 0
  #probing = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True while no call should go, because calls failed. */
  get isOpen(): boolean {
    return this.#failures >= failuresToOpen && (this.#probing || this.#clock.nowMs() < this.#openUntilMs)
  }

  /** Milliseconds for which it is open, 0 or less when a probe may go (or is on its way). */
  get openForMs(): number {
    return this.#openUntilMs - this.#clock.nowMs()
  }

  /** Milliseconds that a rate limit still lasts; 0 or less without one. */
  get limitedForMs(): number {
    return this.#limitedUntilMs - this.#clock.nowMs()
  }

  /** Before a call. One that goes although the breaker is open passes too: nothing else was left to ask. */
  enter(): Pass {
    const probe = this.#failures >= failuresToOpen && !this.isOpen
    if (probe) this.#probing = true
    return { openings: this.#openings, probe }
  }

  /** At the first token: a probe that talks lets the others in, and the next failure opens at once. */
  answering(pass: Pass): void {
    if (!pass.probe || pass.openings !== this.#openings || this.#failures < failuresToOpen) return
    this.#probing = false
    this.#failures = failuresToOpen - 1
  }

  succeeded({ openings }: Pass): void {
    if (openings !== this.#openings) return
    this.#failures = 0
    this.#openMs = firstOpenMs
    this.#probing = false
  }

  failed(pass: Pass, fault: UpstreamFault, retryAfterMs: number | undefined): void {
    if (fault === 'rate_limited' && retryAfterMs !== undefined)
      this.#limitedUntilMs = Math.max(this.#limitedUntilMs, this.#clock.nowMs() + retryAfterMs)
    if (healthy.has(fault)) this.succeeded(pass)
    if (pass.openings !== this.#openings) return
    if (pass.probe) this.#probing = false
    // One that was asked although it was open does not lengthen the time: a crowd would make it two minutes at once.
    const askedAllTheSame = this.#failures >= failuresToOpen && !pass.probe
    if (!counting.has(fault) || askedAllTheSame) return
    this.#failures++
    if (this.#failures >= failuresToOpen) this.#open()
  }

  #open(): void {
    this.#openings++
    this.#openUntilMs = this.#clock.nowMs() + this.#openMs
    this.#openMs = Math.min(this.#openMs * 2, longestOpenMs)
  }
}
