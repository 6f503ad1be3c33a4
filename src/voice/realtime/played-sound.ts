/** How much of each item was played, so that an item is truncated at what was heard. */

const samplesOfMs = 24
/** As many as a conversation has items. */
const maxItems = 500

export class PlayedSound {
  readonly #samples = new Map<string, number>()
  #current: string | undefined

  /** Whose sound was played last. */
  get current(): string | undefined {
    return this.#current
  }

  get isAny(): boolean {
    return this.#current !== undefined
  }

  /** @param samples at 24 kHz */
  add(itemId: string, samples: number): void {
    this.#current = itemId
    this.#samples.set(itemId, (this.#samples.get(itemId) ?? 0) + samples)
    if (this.#samples.size > maxItems) this.#samples.delete(this.#samples.keys().next().value!)
  }

  /** Of its sound only the first `endMs` were heard. Returns where it ends now, and which share of what was played that is. */
  truncate(itemId: string, endMs: number): { endMs: number; share: number } {
    const playedMs = (this.#samples.get(itemId) ?? 0) / samplesOfMs
    if (endMs >= playedMs) return { endMs: Math.round(playedMs), share: 1 }
    this.#samples.set(itemId, endMs * samplesOfMs)
    return { endMs, share: endMs / playedMs }
  }
}
