import type { OpusEncoderHandle } from 'libopus-wasm'

/** Of 48 kHz, as RTP counts: a frame of 20 ms. */
const ticksPerFrame = 960
/** So long is silence sent as it is: the client's decoder has to hear the sound end. */
const framesToSilence = 10
/** One packet each 400 ms keeps the client's comfort noise going, and says that the line is alive. */
const framesPerComfort = 20

export interface VoicePacket {
  packet: Uint8Array
  /** Of RTP: samples at 48 kHz from the beginning of the call, of which 24 hours have 32 bits. */
  timestamp: number
}

/** Frames of what is said become Opus packets of RTP; in silence, most frames become none. */
export class OpusVoice {
  readonly #encoder: OpusEncoderHandle
  #frames = 0
  #silentFrames = 0
  #lossPercent: number | undefined

  /** @param encoder at 24 kHz, mono, with DTX; it is freed by whoever made it */
  constructor(encoder: OpusEncoderHandle) {
    this.#encoder = encoder
  }

  /**
   * How much is lost on the way, from 0 to 1, as the other side reports it; undefined on a line that loses nothing (TCP). The more, the more of
   * each packet goes into repeating the one before.
   */
  expectLoss(loss: number | undefined): void {
    const percent = loss === undefined ? 0 : loss <= 0.05 ? 5 : loss <= 0.1 ? 10 : 20
    if (percent !== this.#lossPercent) this.#encoder.setPacketLossPercent(percent)
    this.#lossPercent = percent
  }

  /** Each frame counts, whether it is sent or not. @param frame 480 samples; @param isSilence nothing is said in it */
  encode(frame: Float32Array, isSilence: boolean): VoicePacket | undefined {
    const timestamp = this.#frames++ * ticksPerFrame
    this.#silentFrames = isSilence ? this.#silentFrames + 1 : 0
    const past = this.#silentFrames - framesToSilence
    if (past > 0 && past % framesPerComfort !== 0) return undefined
    const packet = this.#encoder.encodeFloat(frame)
    return { packet, timestamp }
  }
}
