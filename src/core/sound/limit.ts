import { concatSamples, noSamples } from './pcm.ts'
import { Resampler } from './resample.ts'

/** Peaks are searched for at four times the rate, as in BS.1770: a loudspeaker also makes the peaks between samples. */
const oversampling = 4
/** The peaks that are found and those of the result differ by less than this factor. */
const margin = 0.98
const reachMs = 5

/**
 * Keeps sound that comes in chunks below a ceiling, true peaks included: the gain falls before a peak and rises after it, over some milliseconds, and
 * is never above what the peak needs. Sound without such a peak is returned as it is.
 */
export class Limiter {
  readonly #ceiling: number
  readonly #reach: number
  readonly #finer: Resampler
  readonly #lowest: SlidingMinimum
  readonly #mean: SlidingMean
  /** Samples whose gain is not known yet. */
  #held: Float32Array = noSamples
  /** The number of samples whose peak is known, and of those that were returned. */
  #seen = 0
  #given = 0

  /** @param ceiling the highest true peak, as a factor of full scale */
  constructor(rate: number, ceiling: number) {
    this.#ceiling = ceiling * margin
    this.#reach = Math.ceil((rate * reachMs) / 1_000)
    this.#finer = new Resampler(rate, oversampling * rate)
    const size = 2 * this.#reach + 1
    this.#lowest = new SlidingMinimum(size)
    this.#mean = new SlidingMean(size)
  }

  write(samples: Float32Array): Float32Array {
    this.#held = concatSamples([this.#held, samples])
    return this.#limited(this.#finer.write(samples))
  }

  end(): Float32Array {
    const out = this.#limited(this.#finer.end())
    return concatSamples([out, this.#limited(new Float32Array(2 * this.#reach * oversampling))])
  }

  #limited(finer: Float32Array): Float32Array {
    const out: number[] = []
    // Every sample gives `oversampling` finer ones, so that no group is cut.
    for (let at = 0; at < finer.length; at += oversampling) {
      let peak = Math.abs(this.#held[this.#seen - this.#given] ?? 0)
      for (let part = 0; part < oversampling; part++) peak = Math.max(peak, Math.abs(finer[at + part]!))
      // The gain is the least over a window, then the mean of those: at a peak all of them are at most the gain that it needs.
      const gain = this.#mean.next(this.#lowest.next(peak > this.#ceiling ? this.#ceiling / peak : 1))
      const target = this.#seen++ - 2 * this.#reach
      if (target >= 0) out.push(this.#held[target - this.#given]! * gain)
    }
    this.#given += out.length
    this.#held = this.#held.slice(out.length)
    return Float32Array.from(out)
  }
}
/** The least of the last `size` values; each value costs the same, whatever the size. */
class SlidingMinimum {
  readonly #size: number
  readonly #values: Float64Array
  readonly #places: Float64Array
  #first = 0
  #end = 0
  #count = 0

  constructor(size: number) {
    this.#size = size
    this.#values = new Float64Array(size + 1)
    this.#places = new Float64Array(size + 1)
  }

  next(value: number): number {
    const room = this.#size + 1
    // A value that a later and lower one follows can never be the least again.
    while (this.#end > this.#first && this.#values[(this.#end - 1) % room]! >= value) this.#end -= 1
    this.#values[this.#end % room] = value
    this.#places[this.#end % room] = this.#count++
    this.#end += 1
    if (this.#places[this.#first % room]! <= this.#count - 1 - this.#size) this.#first += 1
    return this.#values[this.#first % room]!
  }
}

/** The mean of the last `size` values; values that are missing at the beginning count as 1. */
class SlidingMean {
  readonly #values: Float64Array
  #sum: number
  #count = 0

  constructor(size: number) {
    this.#values = new Float64Array(size).fill(1)
    this.#sum = size
  }

  next(value: number): number {
    const place = this.#count++ % this.#values.length
    this.#sum += value - this.#values[place]!
    this.#values[place] = value
    return this.#sum / this.#values.length
  }
}
