import { decibelsOf, rmsOf } from './loudness.ts'
import { pcmOf } from './pcm.ts'

/** The result for 20 ms of sound. */
export interface VoiceFrame {
  isVoiced: boolean
  /** The level in dB below full scale: 0 to -100. */
  level: number
}

export interface VoiceFramesOptions {
  /** How sure the detector has to be, 0 to 3: the higher, the less noise is taken for speech, and the more speech for noise. 2 if absent. */
  strictness?: 0 | 1 | 2 | 3
  /** How much louder than the noise speech has to begin, in dB; it goes on while it is louder by 4/9 of this. 7 if absent. */
  aboveNoise?: number
}

export const voiceRate = 16_000
export const voiceFrameMs = 20
export const voiceFrameSamples = (voiceRate * voiceFrameMs) / 1_000

const usualAboveNoise = 7
/** The level in dB below which nothing is speech, however quiet its surroundings are. */
const quietest = -55
/** For this many frames after its last voiced one, speech is compared with the lower threshold. */
const hangFrames = 5

/** One instance for all detectors, loaded at the first use. */
let loaded: ReturnType<typeof import('@echogarden/fvad-wasm')['default']> | undefined

/**
 * Decides for each 20 ms of sound at 16 kHz whether somebody speaks, by WebRTC's detector and a gate over the noise. Close an instance by `using`.
 */
export class VoiceFrames {
  readonly #detect: (frame: Float32Array) => boolean
  readonly #setStrictness: (strictness: number) => void
  readonly #free: () => void
  readonly #low = new LowPass()
  readonly #noise = new NoiseFloor()
  readonly #lowNoise = new NoiseFloor()
  #aboveNoise: number
  #sinceVoiced = Infinity

  private constructor(
    aboveNoise: number,
    detect: (frame: Float32Array) => boolean,
    setStrictness: (strictness: number) => void,
    free: () => void,
  ) {
    this.#aboveNoise = aboveNoise
    this.#detect = detect
    this.#setStrictness = setStrictness
    this.#free = free
  }

  static async open(options: VoiceFramesOptions = {}): Promise<VoiceFrames> {
    loaded ??= import('@echogarden/fvad-wasm').then((module) => module.default())
    const library = await loaded
    const detector = library._fvad_new()
    library._fvad_set_sample_rate(detector, voiceRate)
    const setStrictness = (strictness: number): void => void library._fvad_set_mode(detector, strictness)
    setStrictness(options.strictness ?? 2)
    const place = library._malloc(2 * voiceFrameSamples)
    const detect = (frame: Float32Array): boolean => {
      library.HEAPU8.set(pcmOf(frame), place)
      return library._fvad_process(detector, place, voiceFrameSamples) === 1
    }
    return new VoiceFrames(options.aboveNoise ?? usualAboveNoise, detect, setStrictness, () => {
      library._fvad_free(detector)
      library._free(place)
    })
  }

  /** Changes the options from the next frame on. */
  set({ strictness = 2, aboveNoise = usualAboveNoise }: VoiceFramesOptions): void {
    this.#setStrictness(strictness)
    this.#aboveNoise = aboveNoise
  }

  /** @param frame 320 samples */
  next(frame: Float32Array): VoiceFrame {
    if (frame.length !== voiceFrameSamples) throw new RangeError(`a frame of ${frame.length} samples`)
    const level = levelOf(frame)
    const lowLevel = levelOf(this.#low.next(frame))
    const above = this.#sinceVoiced <= hangFrames ? (this.#aboveNoise * 4) / 9 : this.#aboveNoise
    const isAbove = level > this.#noise.next(level) + above
    const isLowAbove = lowLevel > this.#lowNoise.next(lowLevel) + above
    const isLoud = level > quietest && (isAbove || isLowAbove)
    // The detector keeps a state of its own and has to see every frame.
    const isVoiced = this.#detect(frame) && isLoud
    this.#sinceVoiced = isVoiced ? 1 : this.#sinceVoiced + 1
    return { isVoiced, level }
  }

  [Symbol.dispose](): void {
    this.#free()
  }
}

const levelOf = (samples: Float32Array): number => Math.max(-100, decibelsOf(rmsOf(samples)))

/** The sound below 1 kHz, where vowels have most of their energy, and noise a part of its own. */
class LowPass {
  readonly #out = new Float32Array(voiceFrameSamples)
  readonly #share = 1 - Math.exp((-2 * Math.PI * 1_000) / voiceRate)
  #first = 0
  #second = 0

  /** The filtered frame, which the next call overwrites. */
  next(frame: Float32Array): Float32Array {
    for (let index = 0; index < frame.length; index++) {
      this.#first += this.#share * (frame[index]! - this.#first)
      this.#second += this.#share * (this.#first - this.#second)
      this.#out[index] = this.#second
    }
    return this.#out
  }
}

const rememberedFrames = 150
/** Until this many frames were heard, sound that begins loud is taken to begin with speech, and not with noise. */
const firstFrames = 25
const loudestAtFirst = -40

/** The level of the quietest tenth of the last three seconds: even a person who speaks without rest pauses as long between syllables. */
class NoiseFloor {
  readonly #recent = new Uint8Array(rememberedFrames)
  /** How many of the recent frames have each level in whole dB below full scale. */
  readonly #counts = new Uint8Array(101)
  #frames = 0

  /** The floor of `level` and the levels before it, in dB. */
  next(level: number): number {
    const place = this.#frames % rememberedFrames
    if (this.#frames >= rememberedFrames) this.#counts[this.#recent[place]!]!--
    const quietness = Math.round(-Math.min(0, level))
    this.#recent[place] = quietness
    this.#counts[quietness]!++
    this.#frames++
    let left = Math.ceil(Math.min(this.#frames, rememberedFrames) / 10)
    let floor = 100
    for (; floor > 0; floor--) {
      left -= this.#counts[floor]!
      if (left <= 0) break
    }
    return this.#frames < firstFrames ? Math.min(-floor, loudestAtFirst) : -floor
  }
}
