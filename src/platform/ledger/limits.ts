/**
 * Rate and concurrency limits are enforced by the ledger: a call is counted in the statement of its hold, under the same lock, so the
 * limits are exact over all processes and need no extra round trip. This process remembers only refusals.
 */
import type { Clock } from '#platform/clock'
import { fail } from '#platform/errors'
import type { MeterScope } from './books.ts'
import type { Payer } from './ledger.ts'

/** A remembered refusal is used no longer than this, because the limit may have been lifted. */
const maxMemoryMs = 1_000
const maxRemembered = 10_000

/** Refuses calls of payers that were limited a moment ago, without querying the database. */
export class Refusals {
  readonly #clock: Clock
  readonly #until = new Map<string, { scope: string; untilMs: number; askAgainMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws the remembered refusal of this payer while it is valid. */
  check(payer: Payer): void {
    if (this.#until.size === 0) return
    const nowMs = this.#clock.nowMs()
    for (const id of [payer.keyId, payer.projectId, payer.accountId]) {
      const refusal = this.#until.get(id)
      if (!refusal) continue
      if (refusal.askAgainMs > nowMs) refuseLimited(refusal.scope, refusal.untilMs - nowMs)
      this.#until.delete(id)
    }
  }

  /**
   * Refuses a limited call. A rate limit is remembered, but a concurrency limit is not, because the number of concurrent calls changes whenever one
   * ends.
   */
  refuse(payer: Payer, scope: string, waitMs: number): never {
    const [whose, what] = scope.split('_') as [MeterScope, string]
    if (what === 'rate') {
      const nowMs = this.#clock.nowMs()
      const id = { key: payer.keyId, project: payer.projectId, account: payer.accountId }[whose]
      if (this.#until.size >= maxRemembered) this.#until.clear()
      this.#until.set(id, {
        scope,
        untilMs: nowMs + waitMs,
        askAgainMs: nowMs + Math.min(waitMs, maxMemoryMs),
      })
    }
    return refuseLimited(scope, waitMs)
  }
}

/** Refuses a call over a rate limit without remembering it. */
export function refuseLimited(scope: string, waitMs: number): never {
  const [whose, what] = scope.split('_') as [MeterScope, string]
  if (what === 'rate') fail('RATE_LIMITED', { whose, waitMs }, { retryAfterMs: waitMs })
  fail('CONCURRENCY_LIMITED', { whose }, { retryAfterMs: waitMs })
}
