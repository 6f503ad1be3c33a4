/** Finds the frames in which the caller speaks, and the moment at which speech begins. */
import type { VoiceFrame, VoiceFramesOptions } from '#core/sound'

/** The part of `VoiceFrames` that is used. */
export interface SpeechDetector extends Disposable {
  next(frame: Float32Array): Pick<VoiceFrame, 'isVoiced'>
  set(options: VoiceFramesOptions): void
}

/** Speech begins with three voiced frames of four. Dispose of it, by `using`. */
export class SpeechOnset implements Disposable {
  readonly #voice: SpeechDetector
  /** Which of the last four frames were voiced, the newest in the lowest bit. */
  #lastFour = 0

  constructor(voice: SpeechDetector) {
    this.#voice = voice
  }

  [Symbol.dispose](): void {
    this.#voice[Symbol.dispose]()
  }

  /** Sets the detector: speech during the assistant's words must be louder and clearer than their echo. */
  setThreshold(threshold: number, isAssistantSpeaking: boolean): void {
    const aboveNoise = 7 + 12 * (threshold - 0.5)
    this.#voice.set(
      isAssistantSpeaking ? { strictness: 3, aboveNoise: aboveNoise + 6 } : { strictness: 2, aboveNoise },
    )
  }

  /** Takes the next frame. Returns whether it is voiced. */
  next(frame: Float32Array): boolean {
    const { isVoiced } = this.#voice.next(frame)
    this.#lastFour = ((this.#lastFour << 1) | (isVoiced ? 1 : 0)) & 0b1111
    return isVoiced
  }

  get isOnset(): boolean {
    return this.voicedFrames >= 3
  }

  /** How many of the last four frames are voiced. */
  get voicedFrames(): number {
    return bitCounts[this.#lastFour]!
  }

  /** The number of frames from the first voiced one until now, at an onset. */
  get onsetFrames(): number {
    return this.#lastFour & 0b1000 ? 4 : 3
  }

  /** Forgets the last four frames: they belong to speech that is over. */
  forget(): void {
    this.#lastFour = 0
  }
}

/** The number of bits that are set in a number of four bits. */
const bitCounts = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]
