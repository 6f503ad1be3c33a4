/**
 * Compares two recordings of speech by what the ear keeps: mel-frequency cepstra (S. Davis and P. Mermelstein 1980) with their mean
 * taken away, aligned in time by dynamic time warping (H. Sakoe and S. Chiba 1978).
 */
const rate = 16_000
const frame = { samples: 400, step: 160 }
const filters = 26
const cepstra = 12
const highestHz = 7_600

/** One vector for every 10 ms of sound between the first and the last that is not silent. */
export function features(samples: Float64Array, sampleRate: number): number[][] {
  const sound = trim(resample(samples, sampleRate))
  const frames: number[][] = []
  for (let at = 0; at + frame.samples <= sound.length; at += frame.step)
    frames.push(cepstrum(sound.subarray(at, at + frame.samples)))
  const mean = Array.from(
    { length: cepstra },
    (_, k) => frames.reduce((sum, f) => sum + f[k]!, 0) / frames.length,
  )
  return frames.map((values) => values.map((value, k) => value - mean[k]!))
}

/**
 * The mean distance of two recordings along their best alignment, in the symmetric form: a diagonal step counts twice, so that every path
 * has the same weight, by which the sum is divided, and neither short nor long words are favoured.
 */
export function distance(a: number[][], b: number[][]): number {
  const never = Number.POSITIVE_INFINITY
  let row = new Float64Array(b.length).fill(never)
  for (const [i, left] of a.entries()) {
    const next = new Float64Array(b.length)
    for (const [j, right] of b.entries()) {
      const cost = Math.hypot(...left.map((value, k) => value - right[k]!))
      const before = i === 0 && j === 0 ? 0 : ((j > 0 ? row[j - 1] : never) ?? never)
      const alone = Math.min(row[j]!, j > 0 ? next[j - 1]! : never)
      next[j] = Math.min(before + 2 * cost, alone + cost)
    }
    row = next
  }
  return row.at(-1)! / (a.length + b.length)
}

/** Linear interpolation: what lies above half the new rate is weak in speech and stays. */
function resample(samples: Float64Array, from: number): Float64Array {
  const step = from / rate
  return Float64Array.from({ length: Math.floor(samples.length / step) - 2 }, (_, at) => {
    const place = at * step
    const left = Math.floor(place)
    const share = place - left
    return samples[left]! * (1 - share) + samples[left + 1]! * share
  })
}

function trim(samples: Float64Array): Float64Array {
  const most = samples.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0)
  const quiet = 0.02 * most
  const from = samples.findIndex((value) => Math.abs(value) > quiet)
  return samples.subarray(
    from,
    samples.findLastIndex((value) => Math.abs(value) > quiet),
  )
}

const bins = 257
/** What is 50 dB below a full tone counts as silence, so that the quiet of two recordings is alike. */
const floor = 1e-3
const mel = (hz: number): number => 2595 * Math.log10(1 + hz / 700)
const hz = (value: number): number => 700 * (10 ** (value / 2595) - 1)
const edges = Array.from(
  { length: filters + 2 },
  (_, at) => (hz((mel(highestHz) * at) / (filters + 1)) / rate) * 512,
)

function cepstrum(sound: Float64Array): number[] {
  const power = spectrum(sound)
  const bands = Array.from({ length: filters }, (_, at) => {
    const [low, middle, high] = [edges[at]!, edges[at + 1]!, edges[at + 2]!]
    let sum = floor
    for (let bin = Math.ceil(low); bin < high && bin < bins; bin += 1)
      sum += power[bin]! * (bin < middle ? (bin - low) / (middle - low) : (high - bin) / (high - middle))
    return Math.log(sum)
  })
  return Array.from({ length: cepstra }, (_, k) =>
    bands.reduce((sum, band, at) => sum + band * Math.cos((Math.PI * (k + 1) * (at + 0.5)) / filters), 0),
  )
}

const angles = Array.from({ length: 512 }, (_, at) => (2 * Math.PI * at) / 512)
const cosines = Float64Array.from(angles, Math.cos)
const sines = Float64Array.from(angles, Math.sin)

/** The power of 257 bins of a windowed frame with 6 dB an octave of emphasis. */
function spectrum(sound: Float64Array): Float64Array {
  const shaped = sound.map((value, at) => {
    const window = 0.54 - 0.46 * Math.cos((2 * Math.PI * at) / (sound.length - 1))
    return (value - 0.97 * (sound[at - 1] ?? 0)) * window
  })
  return new Float64Array(bins).map((_, bin) => {
    let real = 0
    let imaginary = 0
    for (let at = 0; at < shaped.length; at += 1) {
      const turn = (bin * at) & 511
      real += shaped[at]! * cosines[turn]!
      imaginary += shaped[at]! * sines[turn]!
    }
    return real * real + imaginary * imaginary
  })
}
