import type { Sound, SoundStream } from '#core/sound'
import { SoundError } from '#core/sound'

/** Tones that swell like syllables, with pauses: a sound that codecs of speech keep. The same for the same arguments. */
export function speechLike(rate: number, seconds: number, amplitude = 0.5): Sound {
  const samples = Float32Array.from({ length: Math.round(rate * seconds) }, (_, index) => {
    const time = index / rate
    const swell = Math.max(0, Math.sin(2 * Math.PI * 2.5 * time)) * (time % 1.6 < 1.2 ? 1 : 0)
    const pitch = 140 + 30 * Math.sin(2 * Math.PI * 0.7 * time)
    let sum = 0
    for (let harmonic = 1; harmonic <= 8; harmonic++)
      sum += Math.sin(2 * Math.PI * pitch * harmonic * time) / (harmonic + 1)
    return amplitude * swell * sum * 0.6
  })
  return { rate, samples }
}

export const sine = (rate: number, hertz: number, seconds: number, amplitude = 0.5): Sound => ({
  rate,
  samples: Float32Array.from(
    { length: Math.round(rate * seconds) },
    (_, index) => amplitude * Math.sin((2 * Math.PI * hertz * index) / rate),
  ),
})

/** All of a stream as one piece. */
export async function whole(stream: SoundStream): Promise<Sound> {
  const pieces: Float32Array[] = []
  let rate = 0
  for await (const piece of stream) {
    rate = piece.rate
    pieces.push(piece.samples)
  }
  const samples = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return { rate, samples }
}

/** The fault with which a stream ends, or how many samples it gave. */
export async function outcome(stream: SoundStream): Promise<string | number> {
  let samples = 0
  try {
    for await (const piece of stream) samples += piece.samples.length
    return samples
  } catch (error) {
    if (error instanceof SoundError) return error.fault
    throw error
  }
}

/** Pieces of bytes or samples, of lengths that repeat. */
export function* cut<Items extends Uint8Array | Float32Array>(
  bytes: Items,
  lengths: readonly number[],
): Iterable<Items> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!
    yield bytes.subarray(at, at + length) as Items
    at += length
  }
}

/** How alike two sounds are, 1 if one is the other but for its loudness; `from` and `to` in samples. */
export function correlation(left: Float32Array, right: Float32Array, from = 0, to = left.length): number {
  let both = 0
  let ofLeft = 0
  let ofRight = 0
  for (let at = from; at < Math.min(to, left.length, right.length); at++) {
    both += left[at]! * right[at]!
    ofLeft += left[at]! ** 2
    ofRight += right[at]! ** 2
  }
  return both / Math.sqrt(ofLeft * ofRight)
}

export function greatestDifference(left: Float32Array, right: Float32Array): number {
  let greatest = 0
  for (let at = 0; at < Math.min(left.length, right.length); at++)
    greatest = Math.max(greatest, Math.abs(left[at]! - right[at]!))
  return greatest
}
