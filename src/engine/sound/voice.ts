import { decibelsOf, rmsOf } from './loudness.ts'
import { concatenated, pcmOf } from './pcm.ts'
import { Resampler } from './resample.ts'

/** Speech began or ended, so many milliseconds after the beginning of the sound. */
export interface VoiceEvent {
  kind: 'started' | 'ended'
  atMs: number
}

export interface VoiceOptions {
  /** How sure it has to be, 0 to 3: the higher, the less noise is taken for speech, and the more speech for noise. */
  strictness?: 0 | 1 | 2 | 3
  /** Speech has ended when so much time passed without any. */
  silenceMs?: number
  /** What is shorter is no speech: a click, a cough. */
  minSpeechMs?: number
}

const frameMs = 20
const rate = 16_000
const frameSamples = (rate * frameMs) / 1_000
/** In dB: speech is so much louder than the noise around it, and never quieter than this below full scale. */
const aboveNoise = 6
const quietest = -55
/** In dB: a sound that begins louder begins with speech. */
const loudestNoise = -40
/** In dB of a frame: the noise is taken to rise no faster, and falls at once. */
const noiseRise = 0.05

/** One instance for all detectors, at the first use. */
let loaded: ReturnType<typeof import('@echogarden/fvad-wasm')['default']> | undefined

/** Finds speech in sound that comes in chunks, by WebRTC's detector and a gate over the noise. What is opened is closed, by `using`. */
export class VoiceDetector {
  readonly #gate: (frame: Float32Array) => boolean
  readonly #free: () => void
  readonly #resampler: Resampler
  readonly #silenceMs: number
  readonly #minSpeechMs: number
  #held: Float32Array = new Float32Array(0)
  #frames = 0
  #noise: number | undefined
  /** Where voiced frames began, and where the last of them ended, in ms. */
  #from: number | undefined
  #until = 0
  #isSpeech = false

  private constructor(
    inputRate: number,
    { silenceMs = 450, minSpeechMs = 80 }: VoiceOptions,
    gate: (frame: Float32Array) => boolean,
    free: () => void,
  ) {
    this.#resampler = new Resampler(inputRate, rate)
    this.#silenceMs = silenceMs
    this.#minSpeechMs = minSpeechMs
    this.#gate = gate
    this.#free = free
  }

  /** @param inputRate of what is written, in Hz */
  static async open(inputRate: number, options: VoiceOptions = {}): Promise<VoiceDetector> {
    loaded ??= import('@echogarden/fvad-wasm').then((module) => module.default())
    const library = await loaded
    const detector = library._fvad_new()
    library._fvad_set_sample_rate(detector, rate)
    library._fvad_set_mode(detector, options.strictness ?? 2)
    const place = library._malloc(2 * frameSamples)
    const gate = (frame: Float32Array): boolean => {
      library.HEAPU8.set(pcmOf(frame), place)
      return library._fvad_process(detector, place, frameSamples) === 1
    }
    return new VoiceDetector(inputRate, options, gate, () => {
      library._fvad_free(detector)
      library._free(place)
    })
  }

  write(samples: Float32Array): VoiceEvent[] {
    const input = concatenated([this.#held, this.#resampler.write(samples)])
    const events: VoiceEvent[] = []
    let at = 0
    for (; at + frameSamples <= input.length; at += frameSamples)
      this.#frame(input.subarray(at, at + frameSamples), events)
    this.#held = input.slice(at)
    return events
  }

  /** The sound is over: speech that goes on ends with it. */
  end(): VoiceEvent[] {
    const events = this.write(new Float32Array(0))
    if (this.#isSpeech) events.push({ kind: 'ended', atMs: this.#until })
    this.#isSpeech = false
    return events
  }

  [Symbol.dispose](): void {
    this.#free()
  }

  #frame(frame: Float32Array, events: VoiceEvent[]): void {
    const level = Math.max(-100, decibelsOf(rmsOf(frame)))
    const noise = this.#noise ?? Math.min(level, loudestNoise)
    const isLoud = level > Math.max(quietest, noise + aboveNoise)
    this.#noise = Math.min(level, noise + noiseRise)
    const startMs = frameMs * this.#frames++
    const endMs = startMs + frameMs
    // The detector keeps a state of its own and has to see every frame.
    if (this.#gate(frame) && isLoud) {
      this.#from ??= startMs
      this.#until = endMs
      if (!this.#isSpeech && endMs - this.#from >= this.#minSpeechMs) {
        this.#isSpeech = true
        events.push({ kind: 'started', atMs: this.#from })
      }
      return
    }
    const quietMs = endMs - this.#until
    if (this.#isSpeech && quietMs >= this.#silenceMs) {
      this.#isSpeech = false
      events.push({ kind: 'ended', atMs: this.#until })
    }
    // Before speech has begun, one missing frame in the middle of a syllable is forgiven.
    if (!this.#isSpeech && quietMs > frameMs) this.#from = undefined
  }
}
