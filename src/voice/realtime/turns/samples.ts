/** Sound at 16 kHz that is collected, and the little of it that stands before speech. */

export const frameSamples = 320

/** Grows to its bound. What was handed out as a view is never written again. */
export class Samples {
  readonly #most: number
  #all = new Float32Array(50 * frameSamples)
  #length = 0

  /** @param most in samples; a multiple of 320 */
  constructor(most: number) {
    this.#most = most
  }

  get length(): number {
    return this.#length
  }

  get isFull(): boolean {
    return this.#length >= this.#most
  }

  /** The caller sees to it that it is not full. */
  append(samples: Float32Array): void {
    const needed = this.#length + samples.length
    if (needed > this.#all.length) {
      const grown = new Float32Array(Math.min(this.#most, Math.max(needed, 2 * this.#all.length)))
      grown.set(this.#all.subarray(0, this.#length))
      this.#all = grown
    }
    this.#all.set(samples, this.#length)
    this.#length = needed
  }

  /** The first `length` of them. */
  first(length: number): Float32Array {
    return this.#all.subarray(0, Math.min(length, this.#length))
  }

  /** Forgets the first `length`; only for what was not handed out. */
  dropFirst(length: number): void {
    this.#all.copyWithin(0, length, this.#length)
    this.#length -= length
  }
}

/** The last frames that came, whichever they were. */
export class RecentFrames {
  readonly #kept: number
  readonly #ring: Float32Array

  /** @param kept how many frames */
  constructor(kept: number) {
    this.#kept = kept
    this.#ring = new Float32Array(kept * frameSamples)
  }

  /** @param number of the frame, from 0 */
  put(number: number, frame: Float32Array): void {
    this.#ring.set(frame, (number % this.#kept) * frameSamples)
  }

  /** One of the last `kept`; overwritten later. */
  at(number: number): Float32Array {
    const place = (number % this.#kept) * frameSamples
    return this.#ring.subarray(place, place + frameSamples)
  }
}
