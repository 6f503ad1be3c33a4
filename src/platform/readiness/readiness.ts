/** What keeps a process from serving well: asked of the rooms that know it, by /health/ready and by `kherad doctor`. */
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
