/**
 * Vectors of texts, paid exactly, and the search for the nearest ones. Texts of like meaning have vectors that are near each other; vectors of two
 * models cannot be compared. Nothing here knows HTTP, a vendor or a database.
 */
export { type EmbedOutcome, embed, truncateForModel } from './embed.ts'
export { NearestVectors } from './nearest.ts'
export { packVectors, parseVectors, unpackVectors } from './pack.ts'
export {
  type PaidVectors,
  type PaidVectorsOptions,
  startPaidVectors,
  type Vectors,
} from './paid-vectors.ts'
export { textOfTokens } from './token-text.ts'
