import { type Frame, nasalPoleHz } from './tracks.ts'
import type { Voice } from './voices.ts'

export const sampleRate = 24_000
export const frameSamples = 48

/** y[n] = a·x[n] + b·y[n-1] + c·y[n-2], and its inverse: Klatt's resonator and antiresonator (1980), with a gain of 1 at 0 Hz. */
class Resonator {
  #a = 1
  #b = 0
  #c = 0
  #first = 0
  #second = 0

  tune(hz: number, bandwidthHz: number): void {
    const radius = Math.exp((-Math.PI * bandwidthHz) / sampleRate)
    this.#c = -radius * radius
    this.#b = 2 * radius * Math.cos((2 * Math.PI * hz) / sampleRate)
    this.#a = 1 - this.#b - this.#c
  }

  resonate(input: number): number {
    const output = this.#a * input + this.#b * this.#first + this.#c * this.#second
    this.#second = this.#first
    this.#first = output
    return output
  }

  cancel(input: number): number {
    const output = (input - this.#b * this.#first - this.#c * this.#second) / this.#a
    this.#second = this.#first
    this.#first = input
    return output
  }
}

/** A band of noise with a gain of 1 at its middle. */
class NoiseBand {
  #gain = 0
  #b = 0
  #c = 0
  #first = 0
  #second = 0
  #input = [0, 0]
  level = 0

  tune(hz: number, bandwidthHz: number, db: number): void {
    const width = Math.sin((2 * Math.PI * hz) / sampleRate) * (bandwidthHz / (2 * hz))
    this.#gain = width / (1 + width)
    this.#b = (2 * Math.cos((2 * Math.PI * hz) / sampleRate)) / (1 + width)
    this.#c = -(1 - width) / (1 + width)
    this.level = 10 ** (db / 20)
  }

  pass(input: number): number {
    const output = this.#gain * (input - this.#input[1]!) + this.#b * this.#first + this.#c * this.#second
    this.#input[1] = this.#input[0]!
    this.#input[0] = input
    this.#second = this.#first
    this.#first = output
    return output * this.level
  }
}

const openQuotient = 0.6
/** How many times the slope of the pulses is added to them: about 12 dB more at 3 kHz, by which consonants are distinguished. */
const presence = 5
const gain = { voice: 0.26, breath: 0.2, noise: 4.5 }
/** Levels follow their targets with a time constant of about 3 ms, so that no level jumps. */
const levelStep = 1 / 72
const peak = 0.85
/** Pole of the high-pass at the end: about 60 Hz, below which no voice lies. */
const lowest = 0.985
/** Resonances above the third, which move little: those of men, in Hz, with their bandwidths (Klatt 1980). */
const upper = [
  [3300, 130],
  [4000, 180],
  [5200, 900],
] as const

/**
 * A cascade/parallel formant synthesiser after D. H. Klatt (1980): pulses of the glottis (D. H. and L. C. Klatt 1990: the flow rises as
 * t² and falls as t³) and breath pass through a cascade of resonators, bands of noise stand beside it. The same frames give the same
 * samples: noise comes from a generator that always starts alike.
 */
export class Synthesiser {
  readonly #voice: Voice
  readonly #formants = [new Resonator(), new Resonator(), new Resonator()]
  readonly #upper: Resonator[]
  readonly #nasalPole = new Resonator()
  readonly #nasalZero = new Resonator()
  readonly #bands = [new NoiseBand(), new NoiseBand(), new NoiseBand()]
  #noise: Frame['noise'] = []
  #seed = 1
  #phase = 0
  #flow = 0
  #sound = 0
  #high = 0
  #voiced = 0
  #aspirated = 0
  #noisy = 0

  constructor(voice: Voice) {
    this.#voice = voice
    this.#upper = upper.map(([hz, bandwidthHz]) => {
      const resonator = new Resonator()
      resonator.tune(hz * voice.formantScale, bandwidthHz)
      return resonator
    })
    this.#nasalPole.tune(nasalPoleHz, 100)
  }

  /** Writes the samples of one frame, each between -1 and 1, at a place of `into`, scaled to 16 bits. */
  render(frame: Frame, into: Int16Array, at: number): void {
    this.#tune(frame)
    for (let sample = 0; sample < frameSamples; sample += 1) {
      this.#voiced += (frame.voiced - this.#voiced) * levelStep
      this.#aspirated += (frame.aspirated - this.#aspirated) * levelStep
      this.#noisy += (frame.noisy - this.#noisy) * levelStep * 2
      const white = this.#white()
      const sound = this.#cascade(this.#source(frame.pitchHz, white)) + this.#frication(white)
      into[at + sample] = Math.round(32_767 * this.#level(peak * Math.tanh(sound / peak)))
    }
  }

  /** Removes the constant part and all below `lowest`; the result is never more than `peak`. */
  #level(sound: number): number {
    this.#high = sound - this.#sound + lowest * this.#high
    this.#sound = sound
    return Math.max(-peak, Math.min(peak, this.#high))
  }

  #tune(frame: Frame): void {
    for (const [at, resonator] of this.#formants.entries())
      resonator.tune(frame.formants[at]!, frame.bandwidths[at]!)
    this.#nasalZero.tune(frame.nasalZeroHz, 100)
    if (frame.noise === this.#noise || frame.noise.length === 0) return
    this.#noise = frame.noise
    for (const [at, band] of this.#bands.entries()) {
      const noise = frame.noise[at]
      if (noise) band.tune(Math.min(noise.hz * this.#voice.formantScale, 11_000), noise.bandwidthHz, noise.db)
      else band.level = 0
    }
  }

  /** The derivative of the glottal flow, which already contains what the lips radiate, with breath while the glottis is open. */
  #source(pitchHz: number, white: number): number {
    this.#phase += pitchHz / sampleRate
    if (this.#phase >= 1) this.#phase -= 1
    const open = this.#phase / openQuotient
    const flow = open < 1 ? 2 * open - 3 * open * open : 0
    const pulse = flow + presence * (flow - this.#flow)
    this.#flow = flow
    const breath = white * (open < 1 ? 1 : 0.4) * this.#voice.breath
    const voice = (pulse + breath) * this.#voiced * gain.voice
    return voice + white * this.#aspirated * gain.breath * 4
  }

  #cascade(source: number): number {
    let sound = this.#nasalZero.cancel(this.#nasalPole.resonate(source))
    for (const resonator of this.#upper) sound = resonator.resonate(sound)
    for (const resonator of this.#formants) sound = resonator.resonate(sound)
    return sound
  }

  #frication(white: number): number {
    const open = this.#voiced > 0.05 && this.#phase > openQuotient ? 0.5 : 1
    const input = white * this.#noisy * gain.noise * open
    let sound = 0
    for (const band of this.#bands) sound += band.pass(input)
    return sound
  }

  /** White noise between -1 and 1 (xorshift, G. Marsaglia 2003). */
  #white(): number {
    let seed = this.#seed
    seed ^= seed << 13
    seed ^= seed >>> 17
    seed ^= seed << 5
    this.#seed = seed
    return seed / 2_147_483_648
  }
}
