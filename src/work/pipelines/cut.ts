/** Length in UTF-8. */
export const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Truncates a text to `maxBytes`, at the end of a paragraph, line or word if that keeps more than half; a truncated text ends in `…`. */
export function truncatedText(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text
  const room = maxBytes - 3
  if (room <= 0) return ''
  const { read } = new TextEncoder().encodeInto(text, Buffer.alloc(room))
  const head = text.slice(0, read)
  const ends = ['\n\n', '\n', ' '].map((end) => head.lastIndexOf(end))
  const end = ends.find((position) => position > head.length / 2) ?? head.length
  return `${head.slice(0, end).trimEnd()}…`
}

/** Puts a text on one line of at most `maxCharacters`, without invisible characters. The half-space (ZWNJ) stays. */
export function singleLine(text: string, maxCharacters: number): string {
  const line = text
    .slice(0, 40 * maxCharacters)
    .toWellFormed()
    .replace(unseen, '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= maxCharacters
    ? line
    : `${line
        .slice(0, maxCharacters - 1)
        .toWellFormed()
        .trimEnd()}…`
}

const unseen = /(?![\t\n\r])[\p{Cc}\u200b\u202a-\u202e\u2060-\u206f\ufeff]/gu
