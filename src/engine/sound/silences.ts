import { Slice } from '#platform/slices'
import { decibelsOf, rmsOf } from './loudness.ts'
import { concatenated, noSamples, type SoundStream } from './pcm.ts'
import { slicesOf } from './slices.ts'

/** Samples from `start` up to `end`, which is not one of them, counted from the beginning of the sound. */
export interface Span {
  start: number
  end: number
}

const frameMs = 10
/** In dB below full scale: what is quieter is silence in any sound. */
const quietest = -60
/** In dB: what differs less, loud from quiet, has no pauses in it. */
const leastRange = 10

/**
 * The pauses of a sound that last `minMs` at least. What is a pause follows from the sound itself: it lies nearer to its quietest
 * frames than to its loud ones. Of the sound only the levels are kept, one for 10 ms.
 * @throws what the sound throws
 */
export async function silencesIn(sound: SoundStream, minMs = 200): Promise<Span[]> {
  const slice = new Slice()
  const levels: number[] = []
  let frame = 0
  let minSamples = 0
  let held = noSamples
  let length = 0
  for await (const { rate, samples } of sound) {
    frame = Math.round((rate * frameMs) / 1_000)
    minSamples = (minMs * rate) / 1_000
    length += samples.length
    for await (const part of slicesOf(samples, slice)) {
      const whole = concatenated([held, part])
      let at = 0
      for (; at + frame <= whole.length; at += frame) levels.push(levelOf(whole.subarray(at, at + frame)))
      held = whole.slice(at)
    }
  }
  if (held.length > 0) levels.push(levelOf(held))
  return quietSpans(levels, frame, length).filter(({ start, end }) => end - start >= minSamples)
}

const levelOf = (samples: Float32Array): number => decibelsOf(rmsOf(samples))

function quietSpans(levels: readonly number[], frame: number, length: number): Span[] {
  const threshold = thresholdOf(levels)
  const spans: Span[] = []
  let start: number | undefined
  const close = (end: number): void => {
    if (start !== undefined) spans.push({ start, end })
    start = undefined
  }
  for (const [index, level] of levels.entries()) {
    if (level < threshold) start ??= index * frame
    else close(index * frame)
  }
  close(length)
  return spans
}

/** In dB: a third of the way from the level of pauses to that of speech. */
function thresholdOf(levels: readonly number[]): number {
  const sorted = levels.map((level) => Math.max(-120, level)).toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? quietest
  const floor = at(0.05)
  const loud = at(0.95)
  if (loud < quietest || loud - floor < leastRange) return quietest
  return Math.max(quietest, floor + (loud - floor) / 3)
}
