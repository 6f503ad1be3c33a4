import { Slice } from '#platform/slices'
import { SoundError } from './fault.ts'
import { noSamples, type Sound, type SoundStream } from './pcm.ts'
import { slicesOf } from './slices.ts'

const usualWidth = 64
/** Shape of the Kaiser window: 80 dB of attenuation, for which the band ends at about 0.84 of half the lower rate. */
const beta = 7.86
/** Where the filter is 6 dB down, as a part of half the lower rate: the middle of the transition, which ends at 1. */
const cutoff = 0.92
/**
 * Coefficients of a table. Between rates that are in use there are 41,000 at most (11,025 to 48,000 Hz); one for odd rates would have
 * as many phases as the rate has Hz.
 */
const maxTable = 1 << 17

/**
 * Sound at another rate, in Hz; pieces go through as they are where it is theirs. The length is that of the input to a sample, and nothing is
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
  readonly #bank: FilterBank | undefined
  /** Input from the first sample that the next output needs. */
  #held: Float32Array
  /** The phase of the next output, and where in `held` its first input stands. */
  #phase = 0
  #at = 0
  #read = 0
  #written = 0

  /** @param width of the filter: input samples, at the lower of both rates, that one output sample is made of */
  constructor(from: number, to: number, width = usualWidth) {
    this.#from = from
    this.#to = to
    this.#bank = from === to ? undefined : bankOf(from, to, width)
    this.#held = new Float32Array(this.#bank ? this.#bank.taps / 2 - 1 : 0)
  }

  /** Samples that `length` input samples become in all. */
  lengthFor(length: number): number {
    return Math.ceil((length * this.#to) / this.#from)
  }

  write(samples: Float32Array): Float32Array {
    this.#read += samples.length
    if (!this.#bank) return samples.slice()
    return this.#filter(this.#bank, samples, Number.POSITIVE_INFINITY)
  }

  /** The samples that were waiting for input behind them. */
  end(): Float32Array {
    if (!this.#bank) return noSamples
    const due = this.lengthFor(this.#read) - this.#written
    return this.#filter(this.#bank, new Float32Array(this.#bank.taps), due)
  }

  #filter({ taps, up, down, table }: FilterBank, samples: Float32Array, due: number): Float32Array {
    const input = new Float32Array(this.#held.length + samples.length)
    input.set(this.#held)
    input.set(samples, this.#held.length)
    const ready = Math.ceil(((input.length - taps - this.#at + 1) * up - this.#phase) / down)
    const output = new Float32Array(Math.max(0, Math.min(due, ready)))
    for (let index = 0; index < output.length; index++) {
      const row = this.#phase * taps
      let sum = 0
      for (let tap = 0; tap < taps; tap++) sum += table[row + tap]! * input[this.#at + tap]!
      output[index] = sum
      const next = this.#phase + down
      this.#at += Math.floor(next / up)
      this.#phase = next % up
    }
    const drop = Math.min(this.#at, input.length)
    this.#held = input.slice(drop)
    this.#at -= drop
    this.#written += output.length
    return output
  }
}

interface FilterBank {
  /** Filter coefficients of one phase; even. */
  taps: number
  /** The ratio of the rates: `up` output samples for `down` input samples. */
  up: number
  down: number
  /** A row of `taps` for each of `up` phases. */
  table: Float64Array
}

/** Tables cost milliseconds to make and are read only; there are few ratios, so the newest stay. */
const banks = new Map<string, FilterBank>()
const maxBanks = 16

function bankOf(from: number, to: number, width: number): FilterBank {
  if (!isRate(from) || !isRate(to)) throw new SoundError('unsupported')
  const divisor = divisorOf(from, to)
  const up = to / divisor
  const down = from / divisor
  const name = `${up}:${down}:${width}`
  const bank = banks.get(name) ?? makeBank(up, down, width)
  if (!banks.has(name) && banks.size >= maxBanks) banks.delete(banks.keys().next().value!)
  banks.set(name, bank)
  return bank
}

function makeBank(up: number, down: number, width: number): FilterBank {
  // Filtering out what the lower rate cannot hold takes a filter as much longer as there are more input samples.
  const stretch = Math.max(1, down / up)
  const taps = 2 * Math.ceil((width * stretch) / 2)
  if (taps * up > maxTable) throw new SoundError('unsupported')
  const table = new Float64Array(taps * up)
  for (let phase = 0; phase < up; phase++) {
    const row = table.subarray(phase * taps, (phase + 1) * taps)
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - taps / 2 + 1 - phase / up
      row[tap] = sinc((distance * cutoff) / stretch) * kaiser(distance / (taps / 2))
      sum += row[tap]!
    }
    // Every phase has a gain of exactly 1 at 0 Hz, so that no phase is heard as a tone.
    for (let tap = 0; tap < taps; tap++) row[tap]! /= sum
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
