/** Which compressed form a visitor takes (RFC 9110, section 12.5.3). */
export type ContentEncoding = 'br' | 'gzip' | 'identity'

/** The forms that a visitor takes, by the header, the best first; `identity` is always among them. */
const preferences = new Map<string, readonly ContentEncoding[]>()
const plain: readonly ContentEncoding[] = ['identity']
/** The most headers that are kept; browsers send a handful of different ones. */
const maxKept = 200

export function encodingsFor(header: string | string[] | undefined): readonly ContentEncoding[] {
  if (header === undefined) return plain
  const text = String(header)
  const known = preferences.get(text)
  if (known) return known
  const read = readEncodings(text)
  if (preferences.size < maxKept && text.length <= 200) preferences.set(text, read)
  return read
}

function readEncodings(header: string): readonly ContentEncoding[] {
  const weights = new Map<string, number>()
  for (const range of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = parameters.find((part) => part.startsWith('q='))?.slice(2)
    weights.set(name, quality === undefined ? 1 : Number(quality) || 0)
  }
  const weight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0
  const compressed = (['br', 'gzip'] as const).filter((name) => weight(name) > 0)
  return [...compressed.sort((one, other) => weight(other) - weight(one)), 'identity']
}
