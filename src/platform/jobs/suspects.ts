/**
 * Jobs whose last process died while running them. A process runs only one of them at a time: if it dies too, that job is the likely cause,
 * and not others that ran beside it.
 */
export class Suspects {
  #running: string | undefined

  /** Returns false while another one runs here. */
  enter(jobId: string): boolean {
    this.#running ??= jobId
    return this.#running === jobId
  }

  leave(jobId: string): void {
    if (this.#running === jobId) this.#running = undefined
  }
}
