/** The root of the mean square; 0 for no samples. */
export function rmsOf(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / Math.max(1, samples.length))
}

/** A factor in decibels, and back. 0 is -Infinity dB. */
export const decibelsOf = (factor: number): number => 20 * Math.log10(factor)
export const factorOf = (decibels: number): number => 10 ** (decibels / 20)

/** A block of the measure is 400 ms, and begins every 100 ms. */
const stepsInBlock = 4
const absoluteGate = -70
/** Blocks that are this many decibels quieter than the mean are pauses, and do not count. */
const relativeGate = -10

/** Integrated loudness of one channel in LUFS (ITU-R BS.1770): K-weighted, and gated so that pauses do not count. */
export class LoudnessMeter {
  readonly #filters: Biquad[]
  readonly #stepSamples: number
  /** Mean squares of every 100 ms. */
  readonly #steps: number[] = []
  #sum = 0
  #count = 0

  constructor(rate: number) {
    this.#filters = weightingOf(rate).map((coefficients) => new Biquad(coefficients))
    this.#stepSamples = Math.round(rate / 10)
  }

  write(samples: Float32Array): void {
    const [shelf, pass] = this.#filters as [Biquad, Biquad]
    for (const sample of samples) {
      const weighted = pass.next(shelf.next(sample))
      this.#sum += weighted * weighted
      this.#count += 1
      if (this.#count < this.#stepSamples) continue
      this.#steps.push(this.#sum / this.#count)
      this.#sum = 0
      this.#count = 0
    }
  }

  /** The loudness of all that was written; -Infinity for silence. Less than 400 ms is one block. */
  get lufs(): number {
    const blocks = this.#blocks().filter((power) => lufsOf(power) > absoluteGate)
    const gate = lufsOf(meanOf(blocks)) + relativeGate
    return lufsOf(meanOf(blocks.filter((power) => lufsOf(power) > gate)))
  }

  #blocks(): number[] {
    if (this.#steps.length < stepsInBlock) {
      const count = this.#steps.length * this.#stepSamples + this.#count
      const sum = this.#steps.reduce((total, step) => total + step * this.#stepSamples, this.#sum)
      return [sum / Math.max(1, count)]
    }
    return this.#steps
      .slice(stepsInBlock - 1)
      .map((_, index) => meanOf(this.#steps.slice(index, index + stepsInBlock)))
  }
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

const lufsOf = (power: number): number => -0.691 + 10 * Math.log10(power)

type Coefficients = [b0: number, b1: number, b2: number, a1: number, a2: number]

class Biquad {
  readonly #coefficients: Coefficients
  #first = 0
  #second = 0

  constructor(coefficients: Coefficients) {
    this.#coefficients = coefficients
  }

  next(input: number): number {
    const [b0, b1, b2, a1, a2] = this.#coefficients
    const output = b0 * input + this.#first
    this.#first = b1 * input - a1 * output + this.#second
    this.#second = b2 * input - a2 * output
    return output
  }
}

/** The K weighting of BS.1770, a shelf and a high pass, whose analogue prototypes are brought to any rate in Hz. */
function weightingOf(rate: number): [Coefficients, Coefficients] {
  const shelf = { frequency: 1_681.974450955533, quality: 0.7071752369554196, gain: 3.999843853973347 }
  const k = Math.tan((Math.PI * shelf.frequency) / rate)
  const high = factorOf(shelf.gain)
  const band = high ** 0.4996667741545416
  const norm = 1 + k / shelf.quality + k * k
  const pass = { frequency: 38.13547087602444, quality: 0.5003270373238773 }
  const p = Math.tan((Math.PI * pass.frequency) / rate)
  const passNorm = 1 + p / pass.quality + p * p
  return [
    [
      (high + (band * k) / shelf.quality + k * k) / norm,
      (2 * (k * k - high)) / norm,
      (high - (band * k) / shelf.quality + k * k) / norm,
      (2 * (k * k - 1)) / norm,
      (1 - k / shelf.quality + k * k) / norm,
    ],
    [1, -2, 1, (2 * (p * p - 1)) / passNorm, (1 - p / pass.quality + p * p) / passNorm],
  ]
}
