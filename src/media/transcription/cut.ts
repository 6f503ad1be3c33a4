/** Decides where a long recording is cut. Pure: spans and pauses are in seconds from its beginning. */

export interface Pause {
  start: number
  end: number
}

/** A piece of a recording, and how the piece before it is joined to it. */
export interface PieceSpan {
  from: number
  to: number
  /** `silence`: the piece before ends where this one begins, in a pause. `overlap`: both contain the time between this beginning and that end. */
  joint: 'first' | 'silence' | 'overlap'
}

export interface CutRules {
  seconds: number
  /** The longest piece. */
  maxSeconds: number
  /** The overlap of two pieces where there is no pause between them. */
  overlapSeconds: number
  /** Whether every two pieces overlap, so that speakers can be matched by the sound that both contain. */
  alwaysOverlaps: boolean
  pauses: readonly Pause[]
}

/** A last piece that is shorter than this is worth no call; where pieces are tiny themselves, the bound is `leastPart` of one. */
const leastSeconds = 1
const leastPart = 0.25
/** A piece ends at the best pause after this part of it: so there are fewer pieces, and the last one is not tiny. */
const earliest = 0.6

/**
 * The pieces of a recording. Each is cut in the middle of the longest pause of its last part, or within sound where there is no pause: then the next
 * piece begins earlier, so that a word that is cut in one of them is whole in the other. `overlapSeconds` is a quarter of `maxSeconds` at most.
 * Throws where a piece would begin no later than the one before it.
 */
export function planPieceSpans({
  seconds,
  maxSeconds,
  overlapSeconds,
  alwaysOverlaps,
  pauses,
}: CutRules): PieceSpan[] {
  const spans: PieceSpan[] = []
  const least = Math.min(leastSeconds, maxSeconds * leastPart)
  let from = 0
  let joint: PieceSpan['joint'] = 'first'
  const nextOf = (to: number): number => {
    const latest = to - overlapSeconds
    // A piece that begins in a pause begins with a whole word.
    const pause = alwaysOverlaps ? bestPause(pauses, latest - overlapSeconds / 4, latest) : undefined
    return round(pause ?? latest)
  }
  while (seconds - from > maxSeconds) {
    const latest = Math.min(from + maxSeconds, seconds - least)
    const pause = bestPause(pauses, from + maxSeconds * earliest, latest)
    const to = round(pause ?? latest)
    spans.push({ from, to, joint })
    joint = pause !== undefined && !alwaysOverlaps ? 'silence' : 'overlap'
    const next = joint === 'silence' ? to : nextOf(to)
    if (!(next > from)) throw new Error(`pieces of ${maxSeconds} s do not get past ${from} s`)
    from = next
  }
  spans.push({ from, to: seconds, joint })
  return spans
}

/** The middle of the longest pause, as far as the pause lies between `from` and `to`; of equally long ones, the last. */
function bestPause(pauses: readonly Pause[], from: number, to: number): number | undefined {
  let best: { at: number; length: number } | undefined
  for (let index = firstAfter(pauses, from); index < pauses.length && pauses[index]!.start < to; index++) {
    const { start, end } = pauses[index]!
    const [first, last] = [Math.max(start, from), Math.min(end, to)]
    const length = last - first
    if (length >= leastPause && (!best || length >= best.length)) best = { at: (first + last) / 2, length }
  }
  return best?.at
}

const leastPause = 0.1

/** Rounds to the millisecond, which is a whole number of samples. */
const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

/** The index of the first pause that ends after this time. */
function firstAfter(pauses: readonly Pause[], time: number): number {
  let [low, high] = [0, pauses.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (pauses[middle]!.end > time) high = middle
    else low = middle + 1
  }
  return low
}
