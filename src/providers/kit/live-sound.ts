import { Resampler } from '#core/sound'

/** The width of a filter that is good enough for speech, costs little and delays the last samples by half a millisecond. */
const width = 16

/** The bytes in Base64, without a copy of them in between. */
export const base64Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** Makes samples of 24 kHz from those of 16 kHz, both mono, 16 bit, little-endian, as they come. */
export class PcmUpsampler {
  readonly #resampler = new Resampler(16_000, 24_000, width)

  write(pcm: Uint8Array): Uint8Array {
    const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
    const samples = new Float32Array(Math.floor(pcm.byteLength / 2))
    for (let at = 0; at < samples.length; at++) samples[at] = view.getInt16(2 * at, true) / 32_768
    const finer = this.#resampler.writeTransient(samples)
    const bytes = new DataView(new ArrayBuffer(2 * finer.length))
    for (let at = 0; at < finer.length; at++)
      bytes.setInt16(2 * at, Math.max(-32_768, Math.min(32_767, Math.round(finer[at]! * 32_768))), true)
    return new Uint8Array(bytes.buffer)
  }
}
