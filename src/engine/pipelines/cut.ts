/** UTF-8. */
export const bytesOf = (text: string): number => Buffer.byteLength(text)

/** At most so many bytes of a text, ended at a paragraph, a line or a word where that costs less than half; cut ones end in `…`. */
export function headOf(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text
  const room = maxBytes - 3
  if (room <= 0) return ''
  const { read } = new TextEncoder().encodeInto(text, Buffer.alloc(room))
  const head = text.slice(0, read)
  const ends = ['\n\n', '\n', ' '].map((end) => head.lastIndexOf(end))
  const end = ends.find((position) => position > head.length / 2) ?? head.length
  return `${head.slice(0, end).trimEnd()}…`
}

/** One line of at most so many characters, without what no reader sees. The half-space stays. */
export function lineOf(text: string, maxCharacters: number): string {
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
