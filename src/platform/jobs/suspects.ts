/**
 * Jobs whose last process vanished while it ran them. A process runs one of them at a time: if it vanishes too, that one is the likely
 * reason and not whatever happened to run beside it.
 */
export class Suspects {
  #running: string | undefined

  /** False while another one runs here. */
  enter(jobId: string): boolean {
    this.#running ??= jobId
    return this.#running === jobId
  }

  leave(jobId: string): void {
    if (this.#running === jobId) this.#running = undefined
  }
}
