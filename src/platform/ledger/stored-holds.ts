import { setTimeout as pause } from 'node:timers/promises'

/** Open holds whose results are being stored: a stop waits for them a moment, since what is not stored is lost. */
export class StoredHolds {
  #open = 0
  #over: (() => void) | undefined

  begin(): void {
    this.#open++
  }

  end(): void {
    this.#open--
    if (this.#open === 0) this.#over?.()
  }

  /** Resolves when none is open, or after `mostMs`. */
  async over(mostMs: number): Promise<void> {
    if (this.#open === 0) return
    const ended = new Promise<void>((resolve) => {
      this.#over = resolve
    })
    const late = new AbortController()
    await Promise.race([ended, pause(mostMs, undefined, { signal: late.signal }).catch(() => undefined)])
    late.abort()
  }
}
