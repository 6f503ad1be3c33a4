/**
 * The nouns of the product, which `src/platform` does not know: a word of an identifier, a string or a comment there (parts of
 * `camelCase` and `snake_case` names are words of their own), in the singular. The plural is refused with it.
 */
export const productNouns: readonly string[] = []

/** A place in `src/platform` that may say a noun all the same, with the reason. One that excuses nothing is refused. */
export interface NounException {
  /** The file, or the folder of a room with a slash at its end. */
  place: string
  noun: string
  reason: string
}

export const nounExceptions: readonly NounException[] = []
