import { access } from 'node:fs/promises'
import path from 'node:path'
import { markerName } from './marker.ts'

const recentMs = 1_000

/** Checks whether a folder of stored files still has its marker: when a disk is no longer mounted, an empty folder is in its place. */
export class MarkerWatch {
  readonly #file: string
  #isMarked = false
  #isGone = false
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(folder: string) {
    this.#file = path.join(folder, markerName)
  }

  /** Checks now. A folder that never had a marker is not gone. */
  async isGone(): Promise<boolean> {
    this.#lookedMs = performance.now()
    const isHere = await access(this.#file).then(
      () => true,
      () => false,
    )
    this.#isMarked ||= isHere
    this.#isGone = this.#isMarked && !isHere
    return this.#isGone
  }

  /** The result of the last check; if it is old, a new check begins for later callers. */
  get wasGone(): boolean {
    if (performance.now() - this.#lookedMs > recentMs) void this.isGone()
    return this.#isGone
  }
}
