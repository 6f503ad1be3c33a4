/**
 * Combines two orders into one by reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009), which needs no common measure of words and vectors.
 */

export interface PassagePosition {
  source_id: string
  position: number
}

export interface ScoredPassage extends PassagePosition {
  score: number
}

/** The constant of the paper, by which the first places of one order do not outweigh good places in both. */
const damping = 60

/** The passages, best first; the score 1 means first in both orders. */
export function fuse(...orders: readonly (readonly PassagePosition[])[]): ScoredPassage[] {
  const found = new Map<string, ScoredPassage>()
  for (const order of orders)
    for (const [rank, { source_id, position }] of order.entries()) {
      const key = `${source_id}/${position}`
      const known = found.get(key) ?? { source_id, position, score: 0 }
      known.score += (damping + 1) / (damping + 1 + rank) / orders.length
      found.set(key, known)
    }
  return [...found.values()].sort((a, b) => b.score - a.score)
}
