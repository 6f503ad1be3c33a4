/** Full-text search: normalisation, passages, index terms, queries and ranking. Independent of the database. */
export { type Passage, passagesIn, passagesOf } from './chunk.ts'
export { normalise } from './normalise.ts'
export { allPhrases, anyOf, type Query, readQuery } from './query.ts'
export { type Candidate, type Corpus, scores } from './rank.ts'
export { stopWords } from './stop-words.ts'
export { wordsOf } from './terms.ts'
export { type Indexed, indexed } from './vector.ts'
