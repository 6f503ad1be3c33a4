import type { OpusEncoderHandle } from 'libopus-wasm'
import { OggWriter } from './ogg.ts'
import { opusHead } from './opus.ts'
import { vorbisComment } from './vorbis-comment.ts'

/** The rate in Hz, which is all that a caller's sound has. A frame takes 0.16 ms to encode; at 24 kHz it would be 0.46. */
export const stereoRate = 16_000
/** The samples of 20 ms of one channel. */
export const stereoFrame = stereoRate / 50
/** A page a second. */
const packetsPerPage = 50
/** The bit rate for two voices, of which mostly one speaks. */
const bitrate = 24_000
/** Positions of an Opus stream are samples at 48 kHz. */
const scale = 48_000 / stereoRate

/** Opus in Ogg (RFC 7845) of two channels, frame by frame; the returned bytes, joined, are one file. */
export class StereoOpus implements Disposable {
  readonly #encoder: OpusEncoderHandle
  readonly #lookahead: number
  readonly #stream = new OggWriter(1, packetsPerPage)
  readonly #both = new Float32Array(2 * stereoFrame)
  #frames = 0
  #isOpen = true

  private constructor(encoder: OpusEncoderHandle) {
    this.#encoder = encoder
    this.#lookahead = encoder.getLookahead()
  }

  static async open(): Promise<StereoOpus> {
    const { Application, createEncoder, Signal } = await import('libopus-wasm')
    const encoder = await createEncoder({
      channels: 2,
      sampleRate: stereoRate,
      frameSize: stereoFrame,
      application: Application.Audio,
      signal: Signal.Voice,
      bitrate,
      complexity: 3,
    })
    return new StereoOpus(encoder)
  }

  head(): Uint8Array {
    const stream = this.#stream
    const head = opusHead({ channels: 2, preSkip: this.#lookahead * scale, rate: stereoRate })
    const tags = Buffer.concat([Buffer.from('OpusTags'), vorbisComment('kherad')])
    return Buffer.concat([stream.header(head), stream.header(tags)])
  }

  /** Takes frames of 320 samples, -1 to 1. Mostly returns no bytes: a page is returned when the next one begins. */
  write(left: Float32Array, right: Float32Array): Uint8Array {
    for (let index = 0; index < stereoFrame; index++) {
      this.#both[2 * index] = left[index]!
      this.#both[2 * index + 1] = right[index]!
    }
    this.#frames += 1
    return this.#stream.packet(this.#encoder.encodeFloat(this.#both), this.#position)
  }

  /** The last page, once at least one frame was written. */
  end(): Uint8Array {
    return this.#stream.end(this.#position)
  }

  get #position(): bigint {
    return BigInt(this.#frames * stereoFrame * scale)
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) this.#encoder.free()
    this.#isOpen = false
  }
}
