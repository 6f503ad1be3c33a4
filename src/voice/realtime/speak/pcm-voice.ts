import { Resampler } from '#core/sound'
import type { PcmFormat } from '../hear/pcm-sound.ts'
import { outputSampleRate } from './spoken-item.ts'

const telephoneRate = 8_000
/** The width of the filter for speech, which needs no more. */
const filterWidth = 16

/** Turns frames of speech into Base64 for a WebSocket: 16 bits at 24 kHz, or G.711 at 8 kHz. */
export class PcmVoice {
  readonly #format: PcmFormat
  readonly #resampler: Resampler

  constructor(format: PcmFormat) {
    this.#format = format
    this.#resampler = new Resampler(
      outputSampleRate,
      format === 'pcm16' ? outputSampleRate : telephoneRate,
      filterWidth,
    )
  }

  /** @param frame samples at 24 kHz */
  encode(frame: Float32Array): string {
    const samples = this.#resampler.writeTransient(frame)
    if (this.#format === 'pcm16') return pcm16Of(samples).toString('base64')
    const byteOf = this.#format === 'pcmu' ? muLawByte : aLawByte
    return Buffer.from(Uint8Array.from(samples, byteOf)).toString('base64')
  }
}

const integerOf = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))

function pcm16Of(samples: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(2 * samples.length)
  for (let at = 0; at < samples.length; at++) bytes.writeInt16LE(integerOf(samples[at]!), 2 * at)
  return bytes
}

/** Encodes a sample by ITU-T G.711: a sign, one of eight segments, and 16 steps within it. */
function muLawByte(sample: number): number {
  const integer = integerOf(sample)
  const size = Math.min(Math.abs(integer), 32_635) + 132
  const segment = 24 - Math.clz32(size)
  const step = (size >> (segment + 3)) & 0x0f
  return ~((integer < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff
}

function aLawByte(sample: number): number {
  const integer = integerOf(sample)
  const size = Math.min(integer < 0 ? -integer - 1 : integer, 32_767)
  const segment = Math.max(0, 24 - Math.clz32(size))
  const step = (size >> (segment === 0 ? 4 : segment + 3)) & 0x0f
  return ((integer < 0 ? 0 : 0x80) | (segment << 4) | step) ^ 0x55
}
