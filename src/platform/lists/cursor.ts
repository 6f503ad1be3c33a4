/** A place in a list whose order has several columns, as one text that its callers send back. */
export const writeCursor = (texts: readonly (string | undefined)[]): string =>
  Buffer.from(JSON.stringify(texts)).toString('base64url')

/** What the cursor holds, at most so many texts; of anything else nothing. */
export function cursorTexts(cursor: string, maxTexts: number): (string | undefined)[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length > maxTexts) return []
    return parts.map((part) => (typeof part === 'string' && !part.includes('\0') ? part : undefined))
  } catch {
    return []
  }
}
