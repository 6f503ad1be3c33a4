/** Buffers of sound at 16 kHz: of a turn, and of the last moments before speech. */

export const frameSamples = 320
export const frameMs = 20
/** The number of frames in which this time has passed. */
export const framesOf = (ms: number): number => Math.ceil(ms / frameMs)

/** A buffer that grows to its bound. Samples that were returned as a view are never written again. */
export class SampleBuffer {
  readonly #maxSamples: number
  #all = new Float32Array(50 * frameSamples)
  #length = 0

  /** @param most the most samples; a multiple of 320 */
  constructor(maxSamples: number) {
    this.#maxSamples = maxSamples
  }

  get length(): number {
    return this.#length
  }

  get isFull(): boolean {
    return this.#length >= this.#maxSamples
  }

  /** Adds samples; the caller must make sure that they fit. */
  append(samples: Float32Array): void {
    const needed = this.#length + samples.length
    if (needed > this.#all.length) {
      const grown = new Float32Array(Math.min(this.#maxSamples, Math.max(needed, 2 * this.#all.length)))
      grown.set(this.#all.subarray(0, this.#length))
      this.#all = grown
    }
    this.#all.set(samples, this.#length)
    this.#length = needed
  }

  /** The first `length` samples, as a view. */
  first(length: number): Float32Array {
    return this.#all.subarray(0, Math.min(length, this.#length))
  }

  /** Drops the first `length` samples; only for a buffer without views. */
  dropFirst(length: number): void {
    this.#all.copyWithin(0, length, this.#length)
    this.#length -= length
  }
}

/** Keeps the last frames that came. */
export class RecentFrames {
  readonly #kept: number
  readonly #ring: Float32Array

  /** @param kept the number of frames */
  constructor(kept: number) {
    this.#kept = kept
    this.#ring = new Float32Array(kept * frameSamples)
  }

  /** @param number the number of the frame, from 0 */
  put(number: number, frame: Float32Array): void {
    this.#ring.set(frame, (number % this.#kept) * frameSamples)
  }

  /** One of the last `kept` frames; a later frame overwrites it. */
  at(number: number): Float32Array {
    const place = (number % this.#kept) * frameSamples
    return this.#ring.subarray(place, place + frameSamples)
  }
}
