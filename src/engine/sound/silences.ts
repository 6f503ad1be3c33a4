import { decibelsOf, rmsOf } from './loudness.ts'
import type { Sound } from './pcm.ts'

/** Samples from `start` up to `end`, which is not one of them. */
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
 * frames than to its loud ones.
 */
export function silencesIn({ rate, samples }: Sound, minMs = 200): Span[] {
  const frame = Math.round((rate * frameMs) / 1_000)
  const levels = Array.from({ length: Math.ceil(samples.length / frame) }, (_, index) =>
    decibelsOf(rmsOf(samples.subarray(index * frame, (index + 1) * frame))),
  )
  const threshold = thresholdOf(levels)
  const spans: Span[] = []
  let start: number | undefined
  const close = (end: number): void => {
    if (start !== undefined && (end - start) * 1_000 >= minMs * rate) spans.push({ start, end })
    start = undefined
  }
  for (const [index, level] of levels.entries()) {
    if (level < threshold) start ??= index * frame
    else close(index * frame)
  }
  close(samples.length)
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
