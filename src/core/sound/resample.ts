import { Slice } from '#platform/slices'
import { SoundError } from './fault.ts'
import { Filter, type FilterShape } from './filter.ts'
import { concatSamples, noSamples, type Sound, type SoundStream } from './pcm.ts'
import { slicesOf } from './slices.ts'

const usualWidth = 64
/** Shape of the Kaiser window: 80 dB of attenuation, for which the band ends at about 0.84 of half the lower rate. */
const beta = 7.86
/** Where the filter is 6 dB down, as a part of half the lower rate: the middle of the transition, which ends at 1. */
const cutoff = 0.92
/**
 * The most coefficients of a table. Rates that are in use need 41,000 at most (11,025 to 48,000 Hz); a table for odd rates would have as many phases
 * as the rate has Hz.
 */
const maxTable = 1 << 17

/**
 * Sound at another rate, in Hz; pieces that have this rate are yielded as they are. The length is that of the input to a sample, and nothing is
 * delayed.
 * @throws SoundError `unsupported` where a rate is below 4 kHz, above 768 kHz, or in no ratio of small integers to the other
 */
export async function* resample(sound: SoundStream, rate: number): AsyncGenerator<Sound> {
  const slice = new Slice()
  let resampler: Resampler | undefined
  for await (const piece of sound) {
    resampler ??= new Resampler(piece.rate, rate)
    for await (const part of slicesOf(piece.samples, slice)) {
      const samples = resampler.write(part)
      if (samples.length > 0) yield { rate, samples }
    }
  }
  const samples = resampler?.end() ?? noSamples
  if (samples.length > 0) yield { rate, samples }
}

const isRate = (rate: number): boolean => Number.isInteger(rate) && rate >= 4_000 && rate <= 768_000

/**
 * Changes the rate of sound that comes in chunks, by a polyphase filter of windowed sincs. The result does not depend on how
 * the input is cut, sample for sample. It has no delay: output sample k stands for the time k / to.
 * @throws SoundError as `resample` does
 */
export class Resampler {
  readonly #from: number
  readonly #to: number
  readonly #filter: Filter | undefined
  /** The input from the first sample that the next output needs. */
  #held: Float32Array
  /** The phase of the next output, and the index in `#held` at which its first input stands. */
  #phase = 0
  #at = 0
  #read = 0
  #written = 0

  /** @param width the width of the filter: how many input samples, at the lower of both rates, make one output sample */
  constructor(from: number, to: number, width = usualWidth) {
    this.#from = from
    this.#to = to
    this.#filter = from === to ? undefined : filterOf(from, to, width)
    this.#held = new Float32Array(this.#filter ? this.#filter.shape.taps / 2 - 1 : 0)
  }

  /** How many samples `length` input samples become in all. */
  lengthFor(length: number): number {
    return Math.ceil((length * this.#to) / this.#from)
  }

  write(samples: Float32Array): Float32Array {
    return this.writeTransient(samples).slice()
  }

  /** Works like `write`, for samples that are used at once: they are valid until any further sound is read, and may be `samples` themselves. */
  writeTransient(samples: Float32Array): Float32Array {
    this.#read += samples.length
    if (!this.#filter) return samples
    return this.#filtered(this.#filter, samples, Number.POSITIVE_INFINITY)
  }

  /** The samples that were waiting for input after them. */
  end(): Float32Array {
    if (!this.#filter) return noSamples
    const due = this.lengthFor(this.#read) - this.#written
    return this.#filtered(this.#filter, new Float32Array(this.#filter.shape.taps), due).slice()
  }

  #filtered(filter: Filter, samples: Float32Array, due: number): Float32Array {
    const maxInput = filter.inputSamples
    if (samples.length <= maxInput) return this.#run(filter, samples, due)
    const pieces: Float32Array[] = []
    let left = due
    for (let from = 0; from < samples.length; from += maxInput) {
      const piece = this.#run(filter, samples.subarray(from, from + maxInput), left)
      left -= piece.length
      pieces.push(piece.slice())
    }
    return concatSamples(pieces)
  }

  #run(filter: Filter, samples: Float32Array, due: number): Float32Array {
    const { taps, up, down } = filter.shape
    const held = this.#held
    const length = held.length + samples.length
    const ready = Math.ceil(((length - taps - this.#at + 1) * up - this.#phase) / down)
    const count = Math.max(0, Math.min(due, ready))
    const output = filter.outputOf(held, samples, { at: this.#at, phase: this.#phase, count })
    const next = this.#phase + count * down
    this.#at += Math.floor(next / up)
    this.#phase = next % up
    const drop = Math.min(this.#at, length)
    this.#held = joinFrom(held, samples, drop)
    this.#at -= drop
    this.#written += count
    return output
  }
}

/** A copy of two joined pieces, from a sample on. */
function joinFrom(first: Float32Array, second: Float32Array, from: number): Float32Array {
  if (from >= first.length) return second.slice(from - first.length)
  return concatSamples([first.subarray(from), second])
}

/** Tables cost milliseconds to make and are read only; there are few ratios, so the newest tables are kept. */
const filters = new Map<string, Filter>()
const maxFilters = 16

function filterOf(from: number, to: number, width: number): Filter {
  if (!isRate(from) || !isRate(to)) throw new SoundError('unsupported')
  const divisor = divisorOf(from, to)
  const up = to / divisor
  const down = from / divisor
  const name = `${up}:${down}:${width}`
  const filter = filters.get(name) ?? new Filter(shapeOf(up, down, width))
  if (!filters.has(name) && filters.size >= maxFilters) filters.delete(filters.keys().next().value!)
  filters.set(name, filter)
  return filter
}

function shapeOf(up: number, down: number, width: number): FilterShape {
  // To filter out what a lower rate cannot represent, the filter must be longer by the ratio of the rates.
  const stretch = Math.max(1, down / up)
  const taps = 4 * Math.ceil((width * stretch) / 4)
  if (taps * up > maxTable) throw new SoundError('unsupported')
  const table = new Float32Array(taps * up)
  const row = new Float64Array(taps)
  for (let phase = 0; phase < up; phase++) {
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - taps / 2 + 1 - phase / up
      row[tap] = sinc((distance * cutoff) / stretch) * kaiser(distance / (taps / 2))
      sum += row[tap]!
    }
    // Every phase has a gain of exactly 1 at 0 Hz, so that no phase is heard as a tone.
    for (let tap = 0; tap < taps; tap++) table[phase * taps + tap] = row[tap]! / sum
  }
  return { taps, up, down, table }
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const kaiser = (x: number): number => (Math.abs(x) >= 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)))

/** The modified Bessel function of order 0; its scale does not matter, since rows are normalised. */
function bessel(x: number): number {
  let term = 1
  let sum = 1
  for (let order = 1; term > 1e-12 * sum; order++) {
    term *= (x / (2 * order)) ** 2
    sum += term
  }
  return sum
}

function divisorOf(a: number, b: number): number {
  return b === 0 ? a : divisorOf(b, a % b)
}
