/**
 * Masks values of secrets in what functions write: as they are, as JSON, URLs and Base64 have them, and each longer line of a value of several lines.
 * A developer can still write a secret of their own in pieces: the mask is against accidents.
 */
import { inspect } from 'node:util'

const mask = '***'
/** A shorter value is not masked: it stands in many lines by chance. */
const minMaskedLength = 4
/** The shortest line of a value of several lines that is masked: shorter ones, such as a brace, stand everywhere. */
const minMaskedLineLength = 8

/** `wasCut`: the text was cut at its end, where a value may have begun. */
export type Mask = (text: string, wasCut: boolean) => string

export function maskOf(values: readonly string[]): Mask {
  const whole = values.filter((value) => value.length >= minMaskedLength)
  // The longest first, since one may be part of another.
  const maskedTexts = [...new Set(whole.flatMap(spellings))].sort((a, b) => b.length - a.length)
  return (text, wasCut) => {
    let masked = text
    for (const one of maskedTexts) if (masked.includes(one)) masked = masked.replaceAll(one, mask)
    return wasCut ? maskPartialEnd(masked, whole) : masked
  }
}

function spellings(value: string): string[] {
  const lines = value.split(/\r\n|\r|\n/).filter((line) => line.length >= minMaskedLineLength)
  const inspected = inspect(value, { maxStringLength: null }).slice(1, -1)
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    inspected,
    encoded(value),
    Buffer.from(value).toString('base64'),
    ...lines,
  ]
}

/** A half of a surrogate pair has no spelling in URLs. */
const encoded = (value: string): string => encodeURIComponent(value.toWellFormed())

/** Masks the end of the text where it may be the beginning of a value. */
function maskPartialEnd(text: string, values: readonly string[]): string {
  const partialLength = Math.max(0, ...values.map((value) => overlap(text, value)))
  return partialLength < minMaskedLength ? text : text.slice(0, -partialLength) + mask
}

/** How much of the beginning of `value` is the end of `text` (Knuth, Morris and Pratt: a value may repeat itself). */
function overlap(text: string, value: string): number {
  const tail = text.slice(-value.length)
  const failure = new Uint16Array(value.length)
  for (let at = 1, length = 0; at < value.length; at++) {
    while (length > 0 && value.charCodeAt(at) !== value.charCodeAt(length)) length = failure[length - 1]!
    if (value.charCodeAt(at) === value.charCodeAt(length)) length++
    failure[at] = length
  }
  let matched = 0
  for (let at = 0; at < tail.length; at++) {
    while (matched > 0 && (matched === value.length || tail.charCodeAt(at) !== value.charCodeAt(matched)))
      matched = failure[matched - 1]!
    if (tail.charCodeAt(at) === value.charCodeAt(matched)) matched++
  }
  return matched
}
