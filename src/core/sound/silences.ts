import { type Levels, levelsOf } from './levels.ts'
import type { SoundStream } from './pcm.ts'

/** Samples from `start` up to `end`, which is not one of them, counted from the beginning of the sound. */
export interface SampleSpan {
  start: number
  end: number
}

/** Half decibels below full scale, as in levels: a quieter frame is silence in any sound, and one below `deepest` counts as `deepest`. */
const quietest = 120
const deepest = 240
/** A sound whose loud and quiet frames differ by less has no pauses. */
const leastRange = 20

/**
 * The pauses of a sound that last `minMs` at least. A pause is found by the sound itself: its level is nearer to the quietest frames than to the loud
 * ones. Only the levels of the sound are kept, one for 10 ms.
 * @throws what the sound throws
 */
export async function silencesIn(sound: SoundStream, minMs = 200): Promise<SampleSpan[]> {
  return pausesOf(await levelsOf(sound), minMs)
}

/** The pauses of a sound by its levels, as `silencesIn` finds them. */
export function pausesOf(levels: Levels, minMs = 200): SampleSpan[] {
  const threshold = pauseLevelOf(levels)
  const minSamples = (minMs * levels.rate) / 1_000
  const spans: SampleSpan[] = []
  let start: number | undefined
  const close = (end: number): void => {
    if (start !== undefined && end - start >= minSamples) spans.push({ start, end })
    start = undefined
  }
  for (let index = 0; index < levels.quiet.length; index++) {
    if (levels.quiet[index]! > threshold) start ??= index * levels.frame
    else close(index * levels.frame)
  }
  close(levels.length)
  return spans
}

/** The level below which a frame belongs to a pause: a third of the way from the level of pauses to that of speech. */
export function pauseLevelOf({ quiet }: Levels): number {
  const counts = new Uint32Array(256)
  for (const level of quiet) counts[Math.min(deepest, level)]! += 1
  const floor = percentile(counts, quiet.length, 0.95)
  const loud = percentile(counts, quiet.length, 0.05)
  if (loud > quietest || floor - loud < leastRange) return quietest
  return Math.min(quietest, floor - (floor - loud) / 3)
}

/** The level than which this part of all frames is not quieter. */
function percentile(counts: Uint32Array, total: number, part: number): number {
  const place = Math.floor(part * (total - 1))
  let passed = 0
  for (const [level, count] of counts.entries()) {
    passed += count
    if (passed > place) return level
  }
  return quietest
}
