/** Full-text search: normalisation, passages, index terms, queries and ranking. Independent of the database. */
export { iteratePassages, type Passage, passagesOf } from './chunk.ts'
export { normalise } from './normalise.ts'
export { allPhrasesQuery, anyTermQuery, type Query, readQuery } from './query.ts'
export { bm25Scores, type Corpus, type PassageCandidate } from './rank.ts'
export { stopWords } from './stop-words.ts'
export { wordsOf } from './terms.ts'
export { type IndexEntry, indexPassage } from './vector.ts'
