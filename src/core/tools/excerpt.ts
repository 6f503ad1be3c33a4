/** Maximum and default tokens of one page. */
export const maxContentTokens = 32_000

/** A token is counted as three bytes of UTF-8: less than tokenizers need for English, about what they need for Persian. */
const bytesPerToken = 3

export const bytesFor = (tokens: number | undefined): number =>
  Math.max(1, Math.min(Math.floor(tokens ?? maxContentTokens), maxContentTokens)) * bytesPerToken

/** At most `maxBytes` bytes of a text, ended where a paragraph ends, or else a line, or else a word. */
export function excerpt(text: string, maxBytes: number): { text: string; cut: boolean } {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return { text, cut: false }
  const head = firstBytes(text, maxBytes)
  const ends = ['\n\n', '\n', ' '].map((end) => head.lastIndexOf(end))
  // This end must not cost more than half of the text that fits.
  const end = ends.find((position) => position > head.length / 2) ?? head.length
  return { text: head.slice(0, end).trimEnd(), cut: true }
}

function firstBytes(text: string, maxBytes: number): string {
  const buffer = Buffer.alloc(maxBytes)
  // encodeInto writes whole characters only.
  const { read } = new TextEncoder().encodeInto(text, buffer)
  return text.slice(0, read)
}
