/**
 * Finds where one piece goes over into the next that overlaps with it: the word that both have, as near as possible to the middle of the overlap. The
 * first piece is trusted before that word, the second after it, since each is transcribed badly at its own edge.
 */
import type { Timestamps } from '#core/turn'
import type { Token } from './tokens.ts'

export interface Overlap {
  /** All tokens of both pieces. */
  before: readonly Token[]
  after: readonly Token[]
  /** The beginning and end of the overlap, in seconds of the recording. */
  from: number
  to: number
  /** The source of the tokens' times; `none`: only their order is known. */
  times: Timestamps
  /** How many words the overlap has at the pace of both pieces. */
  expected: number
}

/** Of the first piece, `kept` tokens stay; of the second, `dropped` tokens are left out. */
export interface SwitchPoint {
  kept: number
  dropped: number
}

/** By how much times of one word in two pieces may differ: those of a word within a segment are a guess. */
const maxWordOffsetSeconds = { word: 0.4, segment: 3, none: Number.POSITIVE_INFINITY }
/** Seconds around the overlap in which its words are looked for as well. */
const slackSeconds = 1
/** The costs of a word that only one piece has, and of two words that differ. */
const missing = 1
const different = 1.5
/** The cost of a missing word at the edge of a piece, where it may be cut and be heard as another. */
const edgeWordCost = 0.3
/** The cost of each word by which an overlap is longer or shorter than expected. */
const unexpected = { word: 0.5, segment: 0.35, none: 0.25 }
/** Without times: the most words that are compared, as a multiple of the expected ones; nobody says more in an overlap. */
const maxExpected = 3
const leastWindow = 12
const maxWindow = 400

export function findSwitchPoint(overlap: Overlap): SwitchPoint {
  const { before, after, times } = overlap
  const isTimed = times !== 'none'
  const [firstIndex, lastIndex] = windowOf(overlap)
  const tail = indexesOf(before, firstIndex, before.length)
  const head = indexesOf(after, 0, lastIndex)
  const pairs = pairsOf(overlap, tail, head)
  const best = isTimed ? nearestInTime(overlap, pairs) : pairs[Math.floor((pairs.length - 1) / 2)]
  if (best) return { kept: best.before + 1, dropped: best.after + 1 }
  return isTimed ? switchAtMiddle(overlap) : { kept: before.length, dropped: 0 }
}

interface Pair {
  before: number
  after: number
}

/** The indexes of the tokens that have letters or digits. */
const indexesOf = (tokens: readonly Token[], from: number, to: number): number[] => {
  const indexes: number[] = []
  for (let at = Math.max(0, from); at < Math.min(to, tokens.length); at++)
    if (tokens[at]!.folded !== '') indexes.push(at)
  return indexes
}

/** The first token of the first piece, and the end of the tokens of the second piece, that may be in both. */
function windowOf({ before, after, from, to, times, expected }: Overlap): [number, number] {
  if (times !== 'none') {
    const slack = slackSeconds + maxWordOffsetSeconds[times]
    const first = before.findIndex(({ end }) => end > from - slack)
    const last = after.findIndex(({ start }) => start >= to + slack)
    return [
      Math.max(first < 0 ? before.length : first, before.length - maxWindow),
      Math.min(last < 0 ? after.length : last, maxWindow),
    ]
  }
  const maxTokens = Math.min(maxWindow, Math.max(leastWindow, Math.ceil(expected * maxExpected)))
  return [before.length - maxTokens, maxTokens]
}

/**
 * The words that both pieces have, when the end of the first is laid over the beginning of the second in the cheapest way: from there on, each token
 * of the first piece, and each token of the second up to its last common one, is equal, different, or missing.
 */
function pairsOf(overlap: Overlap, tail: readonly number[], head: readonly number[]): Pair[] {
  const { before, after, times, expected } = overlap
  const [rows, columns] = [tail.length, head.length]
  if (rows === 0 || columns === 0) return []
  const width = columns + 1
  const costs = new Float64Array((rows + 1) * width)
  const steps = new Uint8Array((rows + 1) * width)
  for (let row = 0; row <= rows; row++)
    for (let column = 0; column <= columns; column++) {
      const at = row * width + column
      if (column === 0) {
        // The overlap may begin after any token of the first piece.
        steps[at] = step.begin
        continue
      }
      const skipAfter = costs[at - 1]! + (column === 1 ? edgeWordCost : missing)
      let [cost, how] = [skipAfter, step.skipAfter]
      if (row > 0) {
        const skipBefore = costs[at - width]! + (row === rows ? edgeWordCost : missing)
        if (skipBefore < cost) [cost, how] = [skipBefore, step.skipBefore]
        const both =
          costs[at - width - 1]! + pairCost(before[tail[row - 1]!]!, after[head[column - 1]!]!, times)
        if (both <= cost) [cost, how] = [both, step.both]
      }
      costs[at] = cost
      steps[at] = how
    }
  const length = times === 'none' ? expected : wordsBefore(overlap, head)
  const end = endOf(costs, { rows, columns }, length, unexpected[times])
  return pairsOnPath({ before, after, tail, head }, steps, rows, end)
}

const step = { begin: 0, skipAfter: 1, skipBefore: 2, both: 3 }

function pairCost(one: Token, other: Token, times: Timestamps): number {
  if (one.folded !== other.folded) return different
  if (times === 'none') return 0
  // The distance is squared: where one word is repeated, the times decide which pairs belong together, and many small differences are likelier than a
  // few large ones.
  return Math.min(different, (Math.abs(middleOf(one) - middleOf(other)) / maxWordOffsetSeconds[times]) ** 2)
}

const middleOf = ({ start, end }: Token): number => (start + end) / 2

/** How many words of the second piece are in both pieces, by their times. */
const wordsBefore = ({ after, to }: Overlap, head: readonly number[]): number =>
  head.filter((index) => middleOf(after[index]!) < to).length

/** How many words of the second piece the first has too: the cheapest end, as near to the expected number as possible. */
function endOf(
  costs: Float64Array,
  { rows, columns }: { rows: number; columns: number },
  expected: number,
  perWord: number,
): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let column = 0; column <= columns; column++) {
    const cost = costs[rows * (columns + 1) + column]! + perWord * Math.abs(column - expected)
    if (cost < least) [best, least] = [column, cost]
  }
  return best
}

interface AlignedTokens {
  before: readonly Token[]
  after: readonly Token[]
  tail: readonly number[]
  head: readonly number[]
}

function pairsOnPath(
  { before, after, tail, head }: AlignedTokens,
  steps: Uint8Array,
  rows: number,
  end: number,
): Pair[] {
  const width = head.length + 1
  const pairs: Pair[] = []
  let [row, column] = [rows, end]
  for (let how = steps[row * width + column]!; how !== step.begin; how = steps[row * width + column]!) {
    if (how === step.both) {
      const pair = { before: tail[row - 1]!, after: head[column - 1]! }
      if (before[pair.before]!.folded === after[pair.after]!.folded) pairs.push(pair)
    }
    if (how !== step.skipAfter) row--
    if (how !== step.skipBefore) column--
  }
  return pairs.toReversed()
}

function nearestInTime({ before, after, from, to }: Overlap, pairs: readonly Pair[]): Pair | undefined {
  const middle = (from + to) / 2
  const distance = (pair: Pair): number =>
    Math.abs((middleOf(before[pair.before]!) + middleOf(after[pair.after]!)) / 2 - middle)
  return pairs.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** Where the pieces have no word in common, each is trusted up to the middle. */
function switchAtMiddle({ before, after, from, to }: Overlap): SwitchPoint {
  const middle = (from + to) / 2
  const countOf = (tokens: readonly Token[]): number => {
    const index = tokens.findIndex((token) => middleOf(token) >= middle)
    return index < 0 ? tokens.length : index
  }
  return { kept: countOf(before), dropped: countOf(after) }
}
