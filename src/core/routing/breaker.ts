import type { UpstreamFault } from '#core/spec'
import type { Clock } from '#platform/clock'

/** Failures in a row that open a breaker. */
const failuresToOpen = 5
const firstOpenMs = 5_000
const maxOpenMs = 120_000

/** Faults of the deployment rather than of a single request. */
const countedFaults: ReadonlySet<UpstreamFault> = new Set<UpstreamFault>([
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
/** Faults that prove the deployment healthy. */
const healthyFaults: ReadonlySet<UpstreamFault> = new Set<UpstreamFault>([
  'invalid_request',
  'context_overflow',
  'content_refused',
])

/** Token for one call, passed back with its outcome. */
export interface BreakerPass {
  /** Number of openings before this call: a call that started before the last opening is not evidence of the current state. */
  readonly openings: number
  readonly probe: boolean
}

/**
 * Closed: calls go through. Open, after five consecutive failures: no calls for five seconds, doubled each time up
 * to two minutes. Half-open: one call at a time probes; its first token admits the others, its success closes the breaker, its
 * failure opens it again. A rate limit with a Retry-After pauses the deployment for that time, independent of the breaker.
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

  /** True while no call should be made, because calls failed. */
  get isOpen(): boolean {
    return this.#failures >= failuresToOpen && (this.#probing || this.#clock.nowMs() < this.#openUntilMs)
  }

  /** Milliseconds until the breaker is half-open; 0 or less when a probe is allowed or running. */
  get openForMs(): number {
    return this.#openUntilMs - this.#clock.nowMs()
  }

  /** Milliseconds that a rate limit still lasts; 0 or less without one. */
  get limitedForMs(): number {
    return this.#limitedUntilMs - this.#clock.nowMs()
  }

  /** Admits a call, even if the breaker is open: then the call is made only because no other deployment is left. */
  enter(): BreakerPass {
    const probe = this.#failures >= failuresToOpen && !this.isOpen
    if (probe) this.#probing = true
    return { openings: this.#openings, probe }
  }

  /** Called at the first token: a probe that answers admits other calls, and the next failure opens the breaker at once. */
  onFirstToken(pass: BreakerPass): void {
    if (!pass.probe || pass.openings !== this.#openings || this.#failures < failuresToOpen) return
    this.#probing = false
    this.#failures = failuresToOpen - 1
  }

  succeeded({ openings }: BreakerPass): void {
    if (openings !== this.#openings) return
    this.#failures = 0
    this.#openMs = firstOpenMs
    this.#probing = false
  }

  failed(pass: BreakerPass, fault: UpstreamFault, retryAfterMs: number | undefined): void {
    if (fault === 'rate_limited' && retryAfterMs !== undefined)
      this.#limitedUntilMs = Math.max(this.#limitedUntilMs, this.#clock.nowMs() + retryAfterMs)
    if (healthyFaults.has(fault)) this.succeeded(pass)
    if (pass.openings !== this.#openings) return
    if (pass.probe) this.#probing = false
    // A call made while the breaker was open does not double the time: concurrent failures would reach two minutes at once.
    const calledWhileOpen = this.#failures >= failuresToOpen && !pass.probe
    if (!countedFaults.has(fault) || calledWhileOpen) return
    this.#failures++
    if (this.#failures >= failuresToOpen) this.#open()
  }

  #open(): void {
    this.#openings++
    this.#openUntilMs = this.#clock.nowMs() + this.#openMs
    this.#openMs = Math.min(this.#openMs * 2, maxOpenMs)
  }
}
