/**
 * Limits of speed are kept where the money is: a call that is held is counted in the same statement, under the same lock, so
 * they are exact over all processes and cost no trip of their own. What this process remembers is only a refusal.
 */
import type { Clock } from '#platform/clock'
import { fail } from '#platform/errors'
import type { MeterScope } from './books.ts'
import type { Payer } from './ledger.ts'

/** A remembered refusal is used no longer than this, because the limit may have been lifted. */
const longestMemoryMs = 1_000
const maxRemembered = 10_000

/** Refuses calls of payers that were limited a moment ago, without asking the database. */
export class Refusals {
  readonly #clock: Clock
  readonly #until = new Map<string, { scope: string; untilMs: number; askAgainMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws the remembered refusal of this payer, while it still holds. */
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

  /** Refuses a limited call. A rate is remembered; how many calls are under way changes with each that ends. */
  refuse(payer: Payer, scope: string, waitMs: number): never {
    const [whose, what] = scope.split('_') as [MeterScope, string]
    if (what === 'rate') {
      const nowMs = this.#clock.nowMs()
      const id = { key: payer.keyId, project: payer.projectId, account: payer.accountId }[whose]
      if (this.#until.size >= maxRemembered) this.#until.clear()
      this.#until.set(id, {
        scope,
        untilMs: nowMs + waitMs,
        askAgainMs: nowMs + Math.min(waitMs, longestMemoryMs),
      })
    }
    return refuseLimited(scope, waitMs)
  }
}

/** Refuses what goes beyond a limit of speed; nothing of it is remembered. */
export function refuseLimited(scope: string, waitMs: number): never {
  const [whose, what] = scope.split('_') as [MeterScope, string]
  if (what === 'rate') fail('RATE_LIMITED', { whose, waitMs }, { retryAfterMs: waitMs })
  fail('CONCURRENCY_LIMITED', { whose }, { retryAfterMs: waitMs })
}
