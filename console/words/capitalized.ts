/** A text as the beginning of a sentence, in languages that have such letters. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
