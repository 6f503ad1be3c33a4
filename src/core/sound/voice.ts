import { concatSamples } from './pcm.ts'
import { Resampler } from './resample.ts'
import {
  voiceFrameMs as frameMs,
  voiceFrameSamples as frameSamples,
  VoiceFrames,
  type VoiceFramesOptions,
  voiceRate,
} from './voice-frames.ts'

/** Speech began or ended, `atMs` milliseconds after the beginning of the sound. */
export interface VoiceEvent {
  kind: 'started' | 'ended'
  atMs: number
}

export interface VoiceOptions extends VoiceFramesOptions {
  /** Speech has ended when this much time passed without any. */
  silenceMs?: number
  /** Shorter sounds are no speech: a click, a cough. */
  minSpeechMs?: number
}

/** Finds speech in sound that comes in chunks of any length and rate, by `VoiceFrames`. Close an instance by `using`. */
export class VoiceDetector {
  readonly #inputRate: number
  readonly #voice: VoiceFrames
  readonly #resampler: Resampler
  readonly #silenceMs: number
  readonly #minSpeechMs: number
  #held: Float32Array = new Float32Array(0)
  #frames = 0
  /** Where voiced frames began, and where the last of them ended, in ms. */
  #from: number | undefined
  #until = 0
  #isSpeech = false

  private constructor(
    inputRate: number,
    { silenceMs = 450, minSpeechMs = 80 }: VoiceOptions,
    voice: VoiceFrames,
  ) {
    this.#inputRate = inputRate
    this.#resampler = new Resampler(inputRate, voiceRate)
    this.#silenceMs = silenceMs
    this.#minSpeechMs = minSpeechMs
    this.#voice = voice
  }

  /** @param inputRate the rate of the samples that are written, in Hz */
  static async open(inputRate: number, options: VoiceOptions = {}): Promise<VoiceDetector> {
    return new VoiceDetector(inputRate, options, await VoiceFrames.open(options))
  }

  /** Gets to know the noise of sound that is written afterwards. */
  learn(samples: Float32Array): void {
    const input = new Resampler(this.#inputRate, voiceRate).write(samples)
    for (let at = 0; at + frameSamples <= input.length; at += frameSamples)
      this.#voice.next(input.subarray(at, at + frameSamples))
  }

  write(samples: Float32Array): VoiceEvent[] {
    const input = concatSamples([this.#held, this.#resampler.write(samples)])
    const events: VoiceEvent[] = []
    let at = 0
    for (; at + frameSamples <= input.length; at += frameSamples)
      this.#frame(input.subarray(at, at + frameSamples), events)
    this.#held = input.slice(at)
    return events
  }

  /** Call at the end of the sound: speech that goes on ends with it. */
  end(): VoiceEvent[] {
    const events = this.write(new Float32Array(0))
    if (this.#isSpeech) events.push({ kind: 'ended', atMs: this.#until })
    this.#isSpeech = false
    return events
  }

  [Symbol.dispose](): void {
    this.#voice[Symbol.dispose]()
  }

  #frame(frame: Float32Array, events: VoiceEvent[]): void {
    const startMs = frameMs * this.#frames++
    const endMs = startMs + frameMs
    if (this.#voice.next(frame).isVoiced) {
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
    // Before speech has begun, one missing frame in the middle of a syllable is allowed.
    if (!this.#isSpeech && quietMs > frameMs) this.#from = undefined
  }
}
