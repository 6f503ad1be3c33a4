import { access } from 'node:fs/promises'
import path from 'node:path'
import { markerName } from './marker.ts'

const recentMs = 1_000

/** Whether a folder of stored files that was marked is still the one: a disk that is not mounted any more leaves an empty folder in its place. */
export class MarkerWatch {
  readonly #file: string
  #isMarked = false
  #isGone = false
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(folder: string) {
    this.#file = path.join(folder, markerName)
  }

  /** Looks. A folder that never had a marker is not gone. */
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

  /** What was found last; it is looked again, for whoever asks next. */
  get wasGone(): boolean {
    if (performance.now() - this.#lookedMs > recentMs) void this.isGone()
    return this.#isGone
  }
}
