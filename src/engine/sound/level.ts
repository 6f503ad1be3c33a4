import { factorOf, LoudnessMeter } from './loudness.ts'
import type { Sound } from './pcm.ts'
import { Resampler } from './resample.ts'
import { inSlices } from './slices.ts'

/** Loudness in LUFS and the greatest value between samples too, as a loudspeaker makes them (true peak, a factor). */
export interface Measured {
  lufs: number
  peak: number
}

/** Peaks are looked for at four times the rate, as BS.1770 does. */
const oversampling = 4

export async function measureSound({ rate, samples }: Sound): Promise<Measured> {
  const meter = new LoudnessMeter(rate)
  let peak = 0
  await eachPeak({ rate, samples }, (value) => {
    peak = Math.max(peak, value)
  })
  await inSlices(samples.length, (from, to) => meter.write(samples.subarray(from, to)))
  return { lufs: meter.lufs, peak }
}

export interface LevelOptions {
  /** No peak is higher, in dB below full scale (dBTP). */
  ceilingDb?: number
  /** The greatest change, in dB: what is nearly silent is not blown up into noise. */
  maxGainDb?: number
}

/**
 * Brings every piece to the same loudness, so that pieces which were spoken one by one sound like one. Peaks that would then stand above
 * the ceiling are pressed down where they are, for some milliseconds, and the rest keeps its loudness. Silence stays as it is.
 */
export async function levelled(
  sounds: readonly Sound[],
  targetLufs: number,
  { ceilingDb = -1, maxGainDb = 30 }: LevelOptions = {},
): Promise<Sound[]> {
  const done: Sound[] = []
  for (const { rate, samples } of sounds) {
    const { lufs, peak } = await measureSound({ rate, samples })
    const change = Number.isFinite(lufs) ? targetLufs - lufs : 0
    const gain = factorOf(Math.max(-maxGainDb, Math.min(maxGainDb, change)))
    const louder = samples.map((sample) => sample * gain)
    const ceiling = factorOf(ceilingDb)
    if (peak * gain > ceiling) await limit({ rate, samples: louder }, ceiling)
    done.push({ rate, samples: louder })
  }
  return done
}

/** Between the true peaks that were looked for and those of the result lies less than this factor. */
const margin = 0.98
const lookaheadMs = 5

/** Presses peaks down in place: the gain falls before a peak and rises after it, and is never above what the peak needs. */
async function limit({ rate, samples }: Sound, ceiling: number): Promise<void> {
  const reach = Math.ceil((rate * lookaheadMs) / 1_000)
  const needed = new Float32Array(samples.length).fill(1)
  await eachPeak({ rate, samples }, (value, index) => {
    if (value > ceiling * margin) needed[index] = (ceiling * margin) / value
  })
  const lowest = new SlidingMinimum(2 * reach + 1)
  const mean = new SlidingMean(2 * reach + 1)
  // The least over a window, then the mean of those over a window: at a peak all of them are at most what it needs.
  await inSlices(samples.length + 2 * reach, (from, to) => {
    for (let index = from; index < to; index++) {
      const gain = mean.next(lowest.next(needed[index] ?? 1))
      const target = index - 2 * reach
      if (target >= 0) samples[target]! *= gain
    }
  })
}

/** Calls `see` with the peak around every sample. */
async function eachPeak({ rate, samples }: Sound, see: (peak: number, index: number) => void): Promise<void> {
  const resampler = new Resampler(rate, oversampling * rate)
  let index = 0
  const read = (finer: Float32Array): void => {
    // A chunk of input gives a multiple of what is asked for: no group is cut.
    for (let at = 0; at < finer.length; at += oversampling) {
      let peak = Math.abs(samples[index]!)
      for (let part = 0; part < oversampling; part++) peak = Math.max(peak, Math.abs(finer[at + part]!))
      see(peak, index++)
    }
  }
  await inSlices(samples.length, (from, to) => read(resampler.write(samples.subarray(from, to))))
  read(resampler.end())
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
    // Values that a later and lower one follows can never be the least again.
    while (this.#end > this.#first && this.#values[(this.#end - 1) % room]! >= value) this.#end -= 1
    this.#values[this.#end % room] = value
    this.#places[this.#end % room] = this.#count++
    this.#end += 1
    if (this.#places[this.#first % room]! <= this.#count - 1 - this.#size) this.#first += 1
    return this.#values[this.#first % room]!
  }
}

/** The mean of the last `size` values; before there are so many, of 1 in their place. */
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
