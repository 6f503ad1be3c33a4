import { type Word, wordsOf } from './terms.ts'

/** The index entry of a passage. */
export interface IndexEntry {
  /** The text form of a tsvector. */
  terms: string
  /** Number of words of the passage. */
  words: number
}

/** The greatest position that PostgreSQL stores in a tsvector. */
const lastPlace = 16_383
const maxPlaces = 200

/** The terms of a passage with their positions; terms of its headings have weight A. `mark` is an additional term without a position. */
export function indexPassage(heading: string, text: string, mark: string): IndexEntry {
  const places = new Map<string, string[]>()
  const above = wordsOf(heading)
  const within = wordsOf(text)
  const next = addWords(places, above, 1, 'A')
  // The positions have a gap here, so that no phrase matches across the heading and the text.
  addWords(places, within, next + 4, '')
  const terms = [...places].map(([term, at]) => `'${term}':${at.join(',')}`)
  return { terms: [`'${mark}'`, ...terms].join(' '), words: Math.max(1, within.length) }
}

function addWords(
  places: Map<string, string[]>,
  words: readonly Word[],
  first: number,
  weight: string,
): number {
  let place = first
  for (const { forms, parts } of words) {
    for (const term of forms) addPosition(places, term, place, weight)
    parts.forEach((spellings, index) => {
      for (const term of spellings) addPosition(places, term, place + index, weight)
    })
    place += parts.length
  }
  return place
}

function addPosition(places: Map<string, string[]>, term: string, place: number, weight: string): void {
  const at = places.get(term) ?? []
  const spelled = `${Math.min(place, lastPlace)}${weight}`
  if (at.length < maxPlaces && at.at(-1) !== spelled) at.push(spelled)
  places.set(term, at)
}
