import { SoundError } from './fault.ts'

/**
 * A piece of sound of one channel: `rate` in Hz, `samples` within [-1, 1]; louder ones are clipped where they become integers. A stream
 * of sound is an iterable of pieces of one rate.
 */
export interface Sound {
  rate: number
  samples: Float32Array
}

export type SoundStream = AsyncIterable<Sound> | Iterable<Sound>

/** The form of raw signed 16-bit little-endian samples: `rate` in Hz; the samples of several channels are interleaved. */
export interface Pcm {
  rate: number
  channels: number
}

export const secondsOf = ({ rate, samples }: Sound): number => samples.length / rate

export const noSamples: Float32Array = new Float32Array(0)

/** Up to 2^16 samples of silence, for readers that only count them; never write to it. */
export const silence = (length: number): Float32Array => zeros.subarray(0, length)
const zeros = new Float32Array(1 << 16)

/** Samples as signed 16-bit little-endian PCM, two bytes each. */
export const pcmOf = (samples: Float32Array): Uint8Array =>
  writePcm(samples, new Uint8Array(2 * samples.length))

/** Writes like `pcmOf`, to the beginning of `to`, which must have room. Returns the written part. */
export function writePcm(samples: Float32Array, to: Uint8Array): Uint8Array {
  const view = new DataView(to.buffer, to.byteOffset, to.byteLength)
  for (let index = 0; index < samples.length; index++)
    view.setInt16(2 * index, toInt16(samples[index]!), true)
  return to.subarray(0, 2 * samples.length)
}

/** Rounds to the 16-bit value, and clips. A sample that is not a number becomes 0. `Math.round` takes ten times as long. */
export function toInt16(sample: number): number {
  const value = Math.floor(sample * 32_768 + 0.5)
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value || 0
}

/** Reads raw PCM that comes in chunks of any length; channels become their mean. */
export class PcmReader {
  readonly mediaType = 'audio/pcm'
  readonly codec = 'pcm'
  readonly rate: number
  readonly channels: number
  /** Bytes of a frame that is not whole yet. */
  #held: Uint8Array = new Uint8Array(0)

  constructor({ rate, channels }: Pcm) {
    this.rate = rate
    this.channels = channels
  }

  *write(chunk: Uint8Array): Iterable<Float32Array> {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const channels = this.channels
    const samples = new Float32Array(Math.floor(bytes.length / (2 * channels)))
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let index = 0; index < samples.length; index++) {
      let sum = 0
      for (let channel = 0; channel < channels; channel++)
        sum += view.getInt16(2 * (index * channels + channel), true)
      samples[index] = sum / (32_768 * channels)
    }
    this.#held = new Uint8Array(bytes.subarray(2 * channels * samples.length))
    yield samples
  }

  /** A frame that is not whole at the end means that the sound was cut off. */
  end(): Float32Array[] {
    if (this.#held.length > 0) throw new SoundError('truncated', this.mediaType)
    return []
  }

  close(): void {}
}

/** Puts pieces of samples together. */
export function concatSamples(pieces: readonly Float32Array[]): Float32Array {
  if (pieces.length === 1) return pieces[0]!
  const whole = new Float32Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
