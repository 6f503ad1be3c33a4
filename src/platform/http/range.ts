/** Byte ranges of GET requests (RFC 9110, section 14). */
import type { IncomingHttpHeaders } from 'node:http'

/** A range of bytes; both ends are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

export type RequestedRange = ByteRange | 'whole' | 'beyond'

const unit = /^bytes=(.*)$/i
const ofNumbers = /^(\d*)-(\d*)$/

/**
 * The requested range. The whole file is sent for a syntactically invalid range, for several ranges, and for a range of another version; a valid
 * range that contains none of the bytes is `beyond`, however large its numbers are.
 */
export function requestedRange(
  headers: IncomingHttpHeaders,
  etag: string | undefined,
  bytes: number,
): RequestedRange {
  const { range, 'if-range': version } = headers
  if (version !== undefined && String(version).trim() !== etag) return 'whole'
  // A list may have empty elements.
  const specs = (unit.exec(range?.trim() ?? '')?.[1] ?? '')
    .split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '')
  const [spec] = specs
  const asked = specs.length === 1 ? ofNumbers.exec(spec!) : null
  return asked ? partWithin(asked[1]!, asked[2]!, bytes) : 'whole'
}

/** Computes the range from texts of digits, of any length; positions beyond the safe integers are still compared correctly. */
function partWithin(from: string, to: string, bytes: number): RequestedRange {
  const size = BigInt(bytes)
  if (from === '') {
    if (to === '') return 'whole'
    const length = BigInt(to)
    if (length === 0n || bytes === 0) return 'beyond'
    return { start: length > size ? 0 : bytes - Number(length), end: bytes - 1 }
  }
  const [first, last] = [BigInt(from), to === '' ? undefined : BigInt(to)]
  if (last !== undefined && last < first) return 'whole'
  if (first >= size) return 'beyond'
  return { start: Number(first), end: last === undefined || last >= size ? bytes - 1 : Number(last) }
}
