/** Counts how much of each item was played, so that an item is truncated at the sound that was heard. */

const samplesOfMs = 24
/** The most items, as in a conversation. */
const maxItems = 500

export class PlayedSound {
  readonly #samples = new Map<string, number>()
  #current: string | undefined

  /** The item whose sound was played last. */
  get current(): string | undefined {
    return this.#current
  }

  get hasPlayed(): boolean {
    return this.#current !== undefined
  }

  /** @param samples at 24 kHz */
  add(itemId: string, samples: number): void {
    this.#current = itemId
    this.#samples.set(itemId, (this.#samples.get(itemId) ?? 0) + samples)
    if (this.#samples.size > maxItems) this.#samples.delete(this.#samples.keys().next().value!)
  }

  /** Cuts an item of which only the first `endMs` were heard. Returns where its sound ends now, and the share of the played sound. */
  truncate(itemId: string, endMs: number): { endMs: number; share: number } {
    const playedMs = (this.#samples.get(itemId) ?? 0) / samplesOfMs
    if (endMs >= playedMs) return { endMs: Math.round(playedMs), share: 1 }
    this.#samples.set(itemId, endMs * samplesOfMs)
    return { endMs, share: endMs / playedMs }
  }
}
