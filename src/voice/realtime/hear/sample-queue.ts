/** A queue that takes samples and gives frames of any length. */
export class SampleQueue {
  #pieces: Float32Array[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds samples without copying them. */
  put(samples: Float32Array): void {
    this.#pieces.push(samples)
    this.#length += samples.length
  }

  /** The next `count` samples; undefined where there are fewer. */
  take(count: number): Float32Array | undefined {
    if (this.#length < count) return undefined
    const first = this.#pieces[0]!
    this.#length -= count
    if (first.length === count) return this.#pieces.shift()
    const taken = new Float32Array(count)
    for (let at = 0; at < count; ) {
      const piece = this.#pieces[0]!
      const part = piece.subarray(0, count - at)
      taken.set(part, at)
      at += part.length
      if (part.length === piece.length) this.#pieces.shift()
      else this.#pieces[0] = piece.subarray(part.length)
    }
    return taken
  }

  clear(): void {
    this.#pieces = []
    this.#length = 0
  }
}
