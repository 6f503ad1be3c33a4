/** A cursor into a list that is ordered by several columns, as one opaque text. */
export const writeCursor = (texts: readonly (string | undefined)[]): string =>
  Buffer.from(JSON.stringify(texts)).toString('base64url')

/** The values of the cursor, at most this many; empty for an invalid cursor. */
export function cursorTexts(cursor: string, maxTexts: number): (string | undefined)[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length > maxTexts) return []
    return parts.map((part) => (typeof part === 'string' && !part.includes('\0') ? part : undefined))
  } catch {
    return []
  }
}
