/** BM25 ranking of the candidates from the database, with a bonus for adjacent words. */

export interface PassageCandidate {
  /** Number of words of the passage. */
  words: number
  /** The query terms that it contains, with their positions; positions in headings have weight A. */
  hits: readonly { term: string; places: readonly number[]; weights: readonly string[] }[]
}

/** Statistics of all searched passages. */
export interface Corpus {
  passages: number
  /** Mean number of words per passage. */
  meanWords: number
  /** For each group of the query, the number of passages that contain any of its terms. */
  found: readonly number[]
}

const saturation = 1.2
const lengthShare = 0.6
const headingWorth = 2
const adjacencyBonus = 0.35
const nearPlaces = 2

/** Scores of the candidates; comparable only within one search. */
export function bm25Scores(
  candidates: readonly PassageCandidate[],
  groups: readonly string[][],
  corpus: Corpus,
): number[] {
  const worth = groups.map((_, at) => rarity(corpus, at))
  return candidates.map((candidate) => {
    const hits = groups.map((terms) => hitOf(candidate, terms))
    const norm = 1 - lengthShare + lengthShare * (candidate.words / Math.max(1, corpus.meanWords))
    return hits.reduce((sum, { count, places }, at) => {
      if (count === 0) return sum
      const often = (count * (saturation + 1)) / (count + saturation * norm)
      const before = hits[at - 1]
      const near = before !== undefined && isNear(before.places, places)
      return sum + worth[at]! * often + (near ? adjacencyBonus * Math.min(worth[at]!, worth[at - 1]!) : 0)
    }, 0)
  })
}

function rarity({ passages, found }: Corpus, at: number): number {
  const having = Math.min(found[at] ?? 0, passages)
  return Math.log(1 + (passages - having + 0.5) / (having + 0.5))
}

interface Hit {
  count: number
  places: readonly number[]
}

/** The most frequent of a word's alternative terms; their sum would count the word twice. */
function hitOf({ hits }: PassageCandidate, terms: readonly string[]): Hit {
  let best: Hit = { count: 0, places: [] }
  for (const { term, places, weights } of hits) {
    if (!terms.includes(term)) continue
    const count = weights.reduce((sum, weight) => sum + (weight === 'A' ? headingWorth : 1), 0)
    if (count > best.count) best = { count, places }
  }
  return best
}

const isNear = (left: readonly number[], right: readonly number[]): boolean =>
  left.some((at) => right.some((other) => other - at >= 0 && other - at <= nearPlaces))
