import type { Clock } from '#platform/clock'
import type { Log } from '#platform/log'
import type { Attempt } from './attempt.ts'

/** A deployment that fails a thousand times a second is told once in so long. */
const oftenMs = 60_000

/** Tells the operator what only he can mend: a key, an account, an address, a proxy. */
export class OperatorWarnings {
  readonly #log: Pick<Log, 'warn'> | undefined
  readonly #clock: Clock
  readonly #toldMs = new Map<string, number>()

  constructor(log: Pick<Log, 'warn'> | undefined, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  warn({ provider, deployment, outcome, status, inside }: Attempt): void {
    const nowMs = this.#clock.nowMs()
    const key = `${deployment} ${outcome}`
    if (nowMs - (this.#toldMs.get(key) ?? Number.NEGATIVE_INFINITY) < oftenMs) return
    this.#toldMs.set(key, nowMs)
    this.#log?.warn(
      { provider, deployment, outcome, status, said: inside },
      'a deployment does not let us in, or cannot be reached by its proxy; kherad doctor says the mend',
    )
  }
}
