import type { OpusEncoderHandle } from 'libopus-wasm'

/** The ticks of a frame of 20 ms at 48 kHz, as RTP counts. */
const ticksPerFrame = 960
/** How long silence is sent as it is: the client's decoder has to hear the sound end. */
const framesToSilence = 10
/** One packet every 400 ms keeps the client's comfort noise going, and shows that the line is alive. */
const framesPerComfort = 20

export interface VoicePacket {
  packet: Uint8Array
  /** The timestamp of RTP: samples at 48 kHz from the beginning of the call; 32 bits last for 24 hours. */
  timestamp: number
}

/** Turns frames of speech into Opus packets of RTP; in silence, most frames become none. */
export class OpusVoice {
  readonly #encoder: OpusEncoderHandle
  #frames = 0
  #silentFrames = 0
  #lossPercent: number | undefined

  /** @param encoder encodes 24 kHz, mono, with DTX; the code that made it frees it */
  constructor(encoder: OpusEncoderHandle) {
    this.#encoder = encoder
  }

  /**
   * Sets the loss on the way, from 0 to 1, as the other side reports it; undefined on a line that loses nothing (TCP). The higher the loss, the more
   * of each packet repeats the one before.
   */
  expectLoss(loss: number | undefined): void {
    const percent = loss === undefined ? 0 : loss <= 0.05 ? 5 : loss <= 0.1 ? 10 : 20
    if (percent !== this.#lossPercent) this.#encoder.setPacketLossPercent(percent)
    this.#lossPercent = percent
  }

  /**
   * Encodes a frame, which counts in the timestamp whether it is sent or not. @param frame 480 samples; @param isSilence whether the frame has no
   * speech
   */
  encode(frame: Float32Array, isSilence: boolean): VoicePacket | undefined {
    const timestamp = this.#frames++ * ticksPerFrame
    this.#silentFrames = isSilence ? this.#silentFrames + 1 : 0
    const past = this.#silentFrames - framesToSilence
    if (past > 0 && past % framesPerComfort !== 0) return undefined
    const packet = this.#encoder.encodeFloat(frame)
    return { packet, timestamp }
  }
}
