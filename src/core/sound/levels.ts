import { GrowingBytes } from '#platform/bytes'
import { Slice } from '#platform/slices'
import { decibelsOf, rmsOf } from './loudness.ts'
import { concatSamples, noSamples, type SoundStream } from './pcm.ts'
import { slicesOf } from './slices.ts'

/** The milliseconds of one level. */
export const levelMs = 10

/** The loudness of a sound over its time. Four hours are 1.44 MB. */
export interface Levels {
  /** For every 10 ms: half decibels below full scale, so that 0 is the loudest, and 255 silence. */
  quiet: Uint8Array
  /** The samples of one level (`frame`), and of the sound (`length`). */
  frame: number
  length: number
  rate: number
}

/**
 * Measures the levels of a sound.
 * @throws what the sound throws
 */
export async function levelsOf(sound: SoundStream): Promise<Levels> {
  const slice = new Slice()
  let quiet = new Uint8Array(1 << 12)
  let count = 0
  let frame = 0
  let held = noSamples
  let length = 0
  let rate = 0
  const add = (samples: Float32Array): void => {
    if (count === quiet.length) {
      const grown = new Uint8Array(2 * count)
      grown.set(quiet)
      quiet = grown
    }
    quiet[count++] = quietOf(rmsOf(samples))
  }
  for await (const piece of sound) {
    rate = piece.rate
    frame = Math.round((rate * levelMs) / 1_000)
    length += piece.samples.length
    for await (const part of slicesOf(piece.samples, slice)) {
      const whole = concatSamples([held, part])
      let at = 0
      for (; at + frame <= whole.length; at += frame) add(whole.subarray(at, at + frame))
      held = whole.slice(at)
    }
  }
  if (held.length > 0) add(held)
  return { quiet: quiet.slice(0, count), frame, length, rate }
}

/**
 * The levels of one channel of 16-bit PCM, as `levelsOf` measures them.
 * @param chunks whole samples; each chunk is used before the next is requested
 * @throws what the chunks throw
 */
export async function levelsOfPcm(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  rate: number,
): Promise<Levels> {
  const slice = new Slice()
  const frame = Math.round((rate * levelMs) / 1_000)
  const levels = new GrowingBytes()
  const found = new Uint8Array(1)
  let sum = 0
  let count = 0
  let length = 0
  const add = (): void => {
    found[0] = quietOf(Math.sqrt(sum / count))
    levels.add(found)
    sum = 0
    count = 0
  }
  for await (const bytes of chunks) {
    if (slice.isOver()) await slice.next()
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = 0; at + 1 < bytes.length; at += 2) {
      const sample = view.getInt16(at, true) / 32_768
      sum += sample * sample
      if (++count === frame) add()
    }
    length += bytes.length >> 1
  }
  if (count > 0) add()
  return { quiet: new Uint8Array(levels.take()), frame, length, rate }
}

const quietOf = (rms: number): number => Math.max(0, Math.min(255, Math.round(-2 * decibelsOf(rms))))
