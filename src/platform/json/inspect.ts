import { type JsonBounds, NotJson } from './not-json.ts'

const quote = 0x22
const backslash = 0x5c
/** A shorter run of digits, its point counted, is that of a double. */
const longDigits = 16

export interface JsonInspection {
  /** The number of strings, names included. */
  strings: number
  /** Whether there is a number that a double may not have: one of sixteen digits, or with an exponent. */
  hasLongNumber: boolean
}

/** Checks nesting depth and members per object in one pass over the bytes, ignoring the contents of strings. Throws `NotJson`. */
export function inspect(bytes: Buffer, { maxDepth, maxMembers }: JsonBounds): JsonInspection {
  const members: number[] = [0]
  let depth = 0
  let strings = 0
  let hasLongNumber = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte === quote) {
      strings++
      i = endOfString(bytes, i)
      if (i < 0) return { strings, hasLongNumber }
    } else if (isDigit(byte)) {
      const end = endOfDigits(bytes, i)
      hasLongNumber ||= end - i >= longDigits || isExponent(bytes[end])
      i = end - 1
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) throw new NotJson({ kind: 'tooDeep', max: maxDepth })
      members[depth] = 0
    } else if (byte === 0x7d || byte === 0x5d) depth = Math.max(depth - 1, 0)
    else if (byte === 0x3a && ++members[depth]! > maxMembers)
      throw new NotJson({ kind: 'tooManyMembers', max: maxMembers })
  }
  return { strings, hasLongNumber }
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const isExponent = (byte: number | undefined): boolean => byte === 0x65 || byte === 0x45

function endOfDigits(bytes: Buffer, start: number): number {
  let end = start + 1
  while (end < bytes.length && (isDigit(bytes[end]!) || bytes[end] === 0x2e)) end++
  return end
}

/**
 * Index of the quote that closes the string opened at `start`, or -1. Searches from quote to quote, so that long Base64 strings are cheap.
 */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1)
  while (end > 0) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return end
    end = bytes.indexOf(quote, end + 1)
  }
  return -1
}
