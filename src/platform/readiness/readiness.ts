/** What keeps a process from serving well: asked of the rooms that know it, by /health/ready and by `kherad doctor`. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Localized } from '#platform/errors'

/** Something that an operator has to mend. */
export interface Problem {
  /** Stable, as programs read it: `disk_full`, `database_elsewhere`. */
  code: string
  /** What is wrong and how to fix it. */
  message: Localized
  /** True where load balancers are to send no requests here; false where calls go on and an operator only has to know. */
  blocks: boolean
}

/** Answers at once from what is known, or within milliseconds. One that throws is a defect. */
type Found = Problem | readonly Problem[] | undefined
export type ReadinessCheck = () => Found | Promise<Found>

export class Readiness {
  readonly #checks: ReadinessCheck[] = []

  add(check: ReadinessCheck): void {
    this.#checks.push(check)
  }

  /** In the order in which the checks were added. */
  async problems(): Promise<Problem[]> {
    const found = await Promise.all(this.#checks.map((check) => check()))
    return found.flatMap((one) => one ?? [])
  }
}

/** No request waits longer for a look; it goes on by what was found last. */
const lookMs = 250
const recentMs = 1_000

/**
 * A check that asks a disk or the database: once a second at most, however often it is asked itself. A look that takes long, or fails since what
 * it asks is away, leaves what was found last.
 */
export function recent(look: () => Promise<Found>): ReadinessCheck {
  let found: Found
  let lookedMs = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  return async () => {
    if (!looking && performance.now() - lookedMs >= recentMs) {
      lookedMs = performance.now()
      looking = look()
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
