/** Which compressed form a visitor takes (RFC 9110, section 12.5.3). */
import { acceptedEncodings } from '#platform/http'

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
  const read = [...acceptedEncodings(text, ['br', 'gzip'] as const), 'identity' as const]
  if (preferences.size < maxKept && text.length <= 200) preferences.set(text, read)
  return read
}
