import type { Clock } from '#platform/clock'
import type { Log } from '#platform/log'
import type { Attempt } from './attempt.ts'

/** Minimum time between two warnings about the same deployment and outcome. */
const minIntervalMs = 60_000

/** Warns the operator of failures that only they can fix: a key, an account, an address, a proxy. */
export class OperatorWarnings {
  readonly #log: Pick<Log, 'warn'> | undefined
  readonly #clock: Clock
  readonly #warnedMs = new Map<string, number>()

  constructor(log: Pick<Log, 'warn'> | undefined, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  warn({ provider, deployment, outcome, status, inside }: Attempt): void {
    const nowMs = this.#clock.nowMs()
    const key = `${deployment} ${outcome}`
    if (nowMs - (this.#warnedMs.get(key) ?? Number.NEGATIVE_INFINITY) < minIntervalMs) return
    this.#warnedMs.set(key, nowMs)
    this.#log?.warn(
      { provider, deployment, outcome, status, said: inside },
      'a deployment does not let us in, or cannot be reached by its proxy; kherad doctor says how to fix it',
    )
  }
}
