/** What a cloud may use in a day (UTC): the bytes that leave it, and the calls of its functions. Exact over all processes. */
import { Allowances } from '#platform/allowance'
import { Failure } from '#platform/errors'
import type { CloudsApp } from './app.ts'
import type { CloudKey } from './clouds.ts'
import { type LimitSource, limitsOf } from './limits.ts'

const table = {
  ...{ days: 'clouds.usage_days', users: 'clouds.clouds', id: 'cloud_id' },
  limitedBy: ['limits', 'offer'],
}

/** The allowances of the clouds whose apps call this process. Disposing it gives back what is unused. */
export class CloudAllowances implements AsyncDisposable {
  readonly #egress: Allowances<'bytes', LimitSource>
  readonly #calls: Allowances<'calls', LimitSource>
  readonly #clock: CloudsApp['clock']

  constructor({ db, clock, log, config }: Pick<CloudsApp, 'db' | 'clock' | 'log' | 'config'>) {
    this.#clock = clock
    this.#egress = new Allowances({
      ...{ db, clock, log },
      table: { ...table, columns: { bytes: 'egress_bytes' } },
      firstPortion: { bytes: 1_000_000 },
      largestPortion: { bytes: 64_000_000 },
      limitsOf: (cloud) => ({ bytes: limitsOf(config.clouds, cloud).dailyEgressBytes }),
    })
    this.#calls = new Allowances({
      ...{ db, clock, log },
      table: { ...table, columns: { calls: 'function_calls' } },
      firstPortion: { calls: 20 },
      largestPortion: { calls: 5_000 },
      limitsOf: (cloud) => ({ calls: limitsOf(config.clouds, cloud).dailyFunctionCalls }),
    })
  }

  /**
   * Takes bytes before they leave the cloud, in an answer at its address or in what a function sends. From memory where it can. False where the day
   * has no more; `egressEnded` is the failure then.
   */
  takeEgress({ accountId, cloudId }: CloudKey, bytes: number): boolean | Promise<boolean> {
    const allowance = this.#egress.of(accountId, cloudId)
    return allowance.spend({ bytes }) || allowance.take({ bytes })
  }

  /** Called when an answer is going to leave: what it needs is taken meanwhile. */
  expectEgress({ accountId, cloudId }: CloudKey): void {
    this.#egress.of(accountId, cloudId).prefetchIfEmpty()
  }

  /** Gives back bytes that were taken and did not leave. */
  refundEgress({ accountId, cloudId }: CloudKey, bytes: number): void {
    this.#egress.of(accountId, cloudId).refund({ bytes })
  }

  egressEnded({ accountId, cloudId }: CloudKey, maxBytes: number): Failure {
    const retryAfterMs = this.#retryAfterMs(this.#egress.of(accountId, cloudId))
    return new Failure('CLOUD_EGRESS_LIMIT', { maxBytes }, { retryAfterMs })
  }

  /** Takes a call, before a function is called from outside or by another one. Throws CLOUD_CALL_LIMIT. */
  async takeCall({ accountId, cloudId }: CloudKey, max: number): Promise<void> {
    const allowance = this.#calls.of(accountId, cloudId)
    if (allowance.spend({ calls: 1 }) || (await allowance.take({ calls: 1 }))) return
    throw new Failure('CLOUD_CALL_LIMIT', { max }, { retryAfterMs: this.#retryAfterMs(allowance) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#egress[Symbol.asyncDispose](), this.#calls[Symbol.asyncDispose]()])
  }

  #retryAfterMs({ dayEndMs }: { dayEndMs: number }): number {
    return Math.max(1_000, dayEndMs - this.#clock.nowMs())
  }
}
