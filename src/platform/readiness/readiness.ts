/** Problems that keep a process from serving well, as /health/ready and `kherad doctor` report them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Localized } from '#platform/errors'

/** A problem that an operator has to fix. */
export interface Problem {
  /** A stable code, which programs read: `disk_full`, `database_elsewhere`. */
  code: string
  /** The message: what is wrong and how to fix it. */
  message: Localized
  /** True if load balancers should send no requests here; false if calls continue and an operator only has to know. */
  blocks: boolean
}

/** The result of a check. A check answers at once from what is known, or within milliseconds; one that throws is a defect. */
type CheckResult = Problem | readonly Problem[] | undefined
export type ReadinessCheck = () => CheckResult | Promise<CheckResult>

export class Readiness {
  readonly #checks: ReadinessCheck[] = []

  add(check: ReadinessCheck): void {
    this.#checks.push(check)
  }

  /** The problems in the order in which the checks were added. */
  async problems(): Promise<Problem[]> {
    const found = await Promise.all(this.#checks.map((check) => check()))
    return found.flatMap((one) => one ?? [])
  }
}

/** How long a request waits for a new measurement; then it uses the last result. */
const lookMs = 250
const recentMs = 1_000

/**
 * Makes a check that queries a disk or the database at most once a second, however often the check is called. If a query takes long, or fails because
 * its target is away, the last result remains.
 */
export function cachedCheck(query: () => Promise<CheckResult>): ReadinessCheck {
  let found: CheckResult
  let lookedMs = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  return async () => {
    if (!looking && performance.now() - lookedMs >= recentMs) {
      lookedMs = performance.now()
      looking = query()
        .then((next) => {
          found = next
        })
        .catch(() => undefined)
        .finally(() => {
          looking = undefined
        })
    }
    if (looking) await Promise.race([looking, pause(lookMs, undefined, { ref: false })])
    return found
  }
}
