/** Names speakers by labels that stay the same in every piece: matched by who speaks when in the overlap of two pieces. */
import type { SpokenSegment } from '#core/turn'
import type { PieceTranscript } from './heard.ts'

/** The seconds that two voices must speak at the same times to be matched as one. */
const leastShared = 0.3
/** The most speakers of one piece for an exact match; more are matched greedily, by the longest shared time. */
const maxExactSpeakers = 10

export class SpeakerLabels {
  readonly labels: string[] = []
  /** The labels whose speaker may be one of the earlier ones. */
  readonly unmatched: string[] = []
  readonly #count: number | undefined

  /** @param count how many speakers there are, if that is known */
  constructor(count: number | undefined) {
    this.#count = count
  }

  /** The piece with labels in place of the upstream's names. `last` is the piece before it, already with labels, which overlaps with it. */
  withLabels(piece: PieceTranscript, last: PieceTranscript | undefined): PieceTranscript {
    const names = new Map<string, string>()
    if (last) for (const [name, label] of matchSpeakers(last, piece)) names.set(name, label)
    for (const name of namesIn(piece))
      if (!names.has(name)) names.set(name, this.#labelFor(names, last !== undefined))
    const renamed = <One extends { speaker?: string }>(one: One): One =>
      one.speaker === undefined ? one : { ...one, speaker: names.get(one.speaker)! }
    return { ...piece, segments: piece.segments.map(renamed), words: piece.words?.map(renamed) }
  }

  /** The label of a voice that was not heard in the overlap: the only one left where the number of speakers is known, else a new one. */
  #labelFor(names: ReadonlyMap<string, string>, isLater: boolean): string {
    const taken = new Set(names.values())
    const left = this.labels.filter((label) => !taken.has(label))
    const isFull = this.#count !== undefined && this.labels.length >= this.#count
    if (isLater && isFull && left.length === 1) return left[0]!
    const label = speakerLabel(this.labels.length)
    this.labels.push(label)
    if (left.length > 0) this.unmatched.push(label)
    return label
  }
}

/** The label with this index: A … Z, AA, AB … */
export function speakerLabel(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : speakerLabel(Math.floor(index / 26) - 1) + letter
}

/** The names in order of first appearance. */
const namesIn = ({ segments, words }: PieceTranscript): string[] => [
  ...new Set([...segments, ...(words ?? [])].flatMap(({ speaker }) => speaker ?? [])),
]

interface SpeakerTurn {
  speaker: string
  start: number
  end: number
}

/** Pairs of a name of the second piece and a label of the first, so that the pairs together speak as long as possible at the same times. */
function matchSpeakers(first: PieceTranscript, second: PieceTranscript): [string, string][] {
  const [from, to] = [second.from, first.to]
  const before = turnsIn(first.segments, from, to)
  const after = turnsIn(second.segments, from, to)
  const labels = [...new Set(before.map(({ speaker }) => speaker))]
  const names = [...new Set(after.map(({ speaker }) => speaker))]
  const [ofLabels, ofNames] = [spansOf(before, labels), spansOf(after, names)]
  const shared = ofNames.map((own) => ofLabels.map((other) => sharedSeconds(own, other)))
  return bestAssignment(shared).map(([name, label]) => [names[name]!, labels[label]!])
}

const turnsIn = (segments: readonly SpokenSegment[], from: number, to: number): SpeakerTurn[] =>
  segments.flatMap(({ speaker, start, end }) => {
    const turn = { start: Math.max(start, from), end: Math.min(end, to) }
    return speaker === undefined || turn.end <= turn.start ? [] : [{ speaker, ...turn }]
  })

interface TimeSpan {
  start: number
  end: number
}

/** The spans in which each speaker speaks, in order and without overlaps: a hostile upstream lists thousands of turns, all at the same time. */
function spansOf(turns: readonly SpeakerTurn[], speakers: readonly string[]): TimeSpan[][] {
  const all = new Map(speakers.map((speaker): [string, TimeSpan[]] => [speaker, []]))
  for (const { speaker, start, end } of turns.toSorted((a, b) => a.start - b.start)) {
    const own = all.get(speaker)!
    const last = own.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else own.push({ start, end })
  }
  return [...all.values()]
}

function sharedSeconds(one: readonly TimeSpan[], other: readonly TimeSpan[]): number {
  let sum = 0
  for (let [at, beside] = [0, 0]; at < one.length && beside < other.length; ) {
    const [a, b] = [one[at]!, other[beside]!]
    sum += Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
    if (a.end < b.end) at++
    else beside++
  }
  return sum
}

/** Pairs of a row and a column, each used at most once, with the greatest sum; pairs that share too little are left out. */
export function bestAssignment(shared: readonly (readonly number[])[]): [number, number][] {
  const rows = shared.map((_, row) => row)
  const columns = (shared[0] ?? []).map((_, column) => column)
  if (columns.length > maxExactSpeakers || rows.length > maxExactSpeakers) return greedyAssignment(shared)
  const memory = new Map<number, { sum: number; pairs: [number, number][] }>()
  const best = (row: number, taken: number): { sum: number; pairs: [number, number][] } => {
    if (row === rows.length) return { sum: 0, pairs: [] }
    const key = row * 2 ** maxExactSpeakers + taken
    const known = memory.get(key)
    if (known) return known
    let found = best(row + 1, taken)
    for (const column of columns) {
      const value = shared[row]![column]!
      if (taken & (1 << column) || value < leastShared) continue
      const rest = best(row + 1, taken | (1 << column))
      if (value + rest.sum > found.sum)
        found = { sum: value + rest.sum, pairs: [[row, column], ...rest.pairs] }
    }
    memory.set(key, found)
    return found
  }
  return best(0, 0).pairs
}

function greedyAssignment(shared: readonly (readonly number[])[]): [number, number][] {
  const cells = shared.flatMap((row, at) =>
    row.map((value, column) => ({ value, pair: [at, column] as const })),
  )
  const pairs: [number, number][] = []
  for (const { value, pair } of cells.toSorted((a, b) => b.value - a.value)) {
    if (value < leastShared) break
    if (!pairs.some(([row, column]) => row === pair[0] || column === pair[1])) pairs.push([...pair])
  }
  return pairs
}
