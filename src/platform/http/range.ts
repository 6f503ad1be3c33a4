/** Byte ranges of GET requests (RFC 9110, section 14). */
import type { IncomingHttpHeaders } from 'node:http'

/** Both ends are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

export type Part = ByteRange | 'whole' | 'beyond'

/** The requested range. Invalid ranges, several ranges, and ranges of another version get the whole. */
export function partOf(headers: IncomingHttpHeaders, etag: string | undefined, bytes: number): Part {
  const { range, 'if-range': version } = headers
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range?.replaceAll(/\s/g, '') ?? '')
  if (!asked || (version !== undefined && String(version).trim() !== etag)) return 'whole'
  const [from, to] = [asked[1]!, asked[2]!]
  if (from === '') {
    if (to === '') return 'whole'
    if (Number(to) === 0 || bytes === 0) return 'beyond'
    return { start: Math.max(0, bytes - Number(to)), end: bytes - 1 }
  }
  if (to !== '' && Number(to) < Number(from)) return 'whole'
  if (Number(from) >= bytes) return 'beyond'
  return { start: Number(from), end: to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) }
}
