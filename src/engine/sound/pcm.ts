/** One channel of sound. `rate` in Hz; `samples` within [-1, 1], louder ones are clipped where they become integers. */
export interface Sound {
  rate: number
  samples: Float32Array
}

/** Rates in Hz that speech is made and sent at. */
export const speechRates = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000] as const

export const silence: Float32Array = new Float32Array(0)

/** Samples as signed 16-bit little-endian PCM, two bytes each. */
export function pcmOf(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(2 * samples.length)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < samples.length; index++)
    view.setInt16(2 * index, integerOf(samples[index]!), true)
  return bytes
}

/** Rounds to the 16-bit value, and clips. What is not a number becomes 0. */
export const integerOf = (sample: number): number =>
  Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))) || 0

/** Signed 16-bit little-endian PCM as samples; a last odd byte is dropped. */
export function samplesOf(pcm: Uint8Array): Float32Array {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  const samples = new Float32Array(pcm.length >> 1)
  for (let index = 0; index < samples.length; index++)
    samples[index] = view.getInt16(2 * index, true) / 32_768
  return samples
}

/** Reads PCM that comes in chunks of any length: a sample that is cut in two by a chunk is put together again. */
export class PcmReader {
  #odd: number | undefined

  write(chunk: Uint8Array): Float32Array {
    if (chunk.length === 0) return silence
    let whole = chunk
    if (this.#odd !== undefined) {
      whole = new Uint8Array(chunk.length + 1)
      whole[0] = this.#odd
      whole.set(chunk, 1)
    }
    this.#odd = whole.length % 2 === 1 ? whole.at(-1) : undefined
    return samplesOf(whole)
  }

  /** Half a sample at the end is dropped. */
  end(): Float32Array {
    this.#odd = undefined
    return silence
  }
}

/** Puts pieces of sound together. */
export function concatenated(pieces: readonly Float32Array[]): Float32Array {
  if (pieces.length === 1) return pieces[0]!
  const whole = new Float32Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
