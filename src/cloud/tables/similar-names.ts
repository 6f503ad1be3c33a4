/** Finds what a mistyped name may have meant. */

/** A longer name is compared with none: those of PostgreSQL have 63 bytes. */
const maxLength = 100
/** The most names that are looked at, and the most that are compared letter by letter. */
const maxNames = 1_000
const maxCompared = 50
/** The least share of equal letters, which is that of PostgREST. */
const leastSimilarity = 0.33

/** Returns names like this one, the most similar first: they have three letters in a row in common with it or, where none has, two. */
export function similarNames(name: string, names: readonly string[]): string[] {
  if (name.length > maxLength) return []
  const known = names.slice(0, maxNames)
  const byThree = withCommonParts(name, known, 3)
  return byThree.length > 0 ? byThree : withCommonParts(name, known, 2)
}

function withCommonParts(name: string, names: readonly string[], length: number): string[] {
  const own = new Set(partsOf(name, length))
  return names
    .map((other) => ({ other, common: partsOf(other, length).filter((part) => own.has(part)).length }))
    .filter(({ common }) => common > 0)
    .toSorted((a, b) => b.common - a.common)
    .slice(0, maxCompared)
    .map(({ other }) => ({ other, similarity: similarity(name.toLowerCase(), other.toLowerCase()) }))
    .filter((one) => one.similarity >= leastSimilarity)
    .toSorted((a, b) => b.similarity - a.similarity)
    .map(({ other }) => other)
}

/** All parts of this length of a name, whose begin and end count as letters. */
function partsOf(name: string, length: number): string[] {
  const text = `-${name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')}-`
  const parts: string[] = []
  for (let at = 0; at + length <= text.length; at++) parts.push(text.slice(at, at + length))
  return parts
}

/** The share of letters that stay where one text becomes the other. */
const similarity = (one: string, other: string): number =>
  1 - distance(one, other) / Math.max(one.length, other.length)

/** How many letters are inserted, removed or replaced to make one text of the other. */
function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let at = 1; at <= other.length; at++) {
      const replaced = before[at - 1]! + (one[row - 1] === other[at - 1] ? 0 : 1)
      now.push(Math.min(replaced, before[at]! + 1, now[at - 1]! + 1))
    }
    before = now
  }
  return before[other.length]!
}
