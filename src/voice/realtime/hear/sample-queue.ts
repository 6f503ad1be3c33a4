/** Samples in, frames of any length out. */
export class SampleQueue {
  #pieces: Float32Array[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Keeps them as they are. */
  put(samples: Float32Array): void {
    this.#pieces.push(samples)
    this.#length += samples.length
  }

  /** Undefined where there are not so many. */
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
