/** The text as PostgreSQL stores it: without NUL, and with U+FFFD for halves of surrogate pairs. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** The characters (code points) that are stored of a text. */
export function charactersOf(text: string): number {
  let characters = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0) continue
    characters++
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++
  }
  return characters
}
