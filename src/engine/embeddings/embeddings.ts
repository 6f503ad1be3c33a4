/**
 * Vectors of texts, paid exactly, and what is near to what. Texts of like meaning have vectors that are near each other; vectors of two
 * models do not compare. Nothing here knows HTTP, a vendor or a database.
 */
export { type EmbedOptions, type EmbedOutcome, embed, truncateForModel, type Vectors } from './embed.ts'
export { NearestVectors } from './nearest.ts'
export { packVectors, unpackVectors, vectorsIn } from './pack.ts'
