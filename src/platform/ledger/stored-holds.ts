import { setTimeout as pause } from 'node:timers/promises'

/**
 * Open holds of calls whose results are stored, by their receipts: a stop waits for them, since results that are not stored are lost. There are few
 * of them, and each lasts for seconds, so that a Set of ids costs nothing (see `core/routing/under-way.ts`).
 */
export class StoredHolds {
  readonly #open = new Set<string>()
  #onAllEnded: (() => void) | undefined

  begin(receiptId: string): void {
    this.#open.add(receiptId)
  }

  end(receiptId: string): void {
    this.#open.delete(receiptId)
    if (this.#open.size === 0) this.#onAllEnded?.()
  }

  /** Whether the hold of this receipt is open, or any hold if no receipt is named. */
  isOpen(receiptId?: string): boolean {
    return receiptId === undefined ? this.#open.size > 0 : this.#open.has(receiptId)
  }

  /** Resolves when no hold is open, or after `maxMs`. */
  async whenAllEnded(maxMs: number): Promise<void> {
    if (this.#open.size === 0) return
    const ended = new Promise<void>((resolve) => {
      this.#onAllEnded = resolve
    })
    const late = new AbortController()
    await Promise.race([ended, pause(maxMs, undefined, { signal: late.signal }).catch(() => undefined)])
    late.abort()
  }
}
