/** Prompts: texts that say what is to be made. */
import { fail, type Localized } from '#platform/errors'

/**
 * True for a text in which nothing can be read: only blanks, controls, marks of direction and joining, and other characters without a shape. U+2800
 * is a Braille pattern without a dot, and U+FFF9 to U+FFFB enclose annotations.
 */
export const isBlank = (text: string): boolean =>
  !/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\u2800\ufff9-\ufffb]/u.test(text)

/** The text, well formed. Throws INVALID_REQUEST for a text in which nothing can be read. */
export function requirePrompt(text: string, why: Localized, param = 'prompt'): string {
  if (isBlank(text)) fail('INVALID_REQUEST', { why }, { param })
  return text.toWellFormed()
}
