/** Phone numbers as people type them, and as they are stored: in E.164, such as `+989123456789`. */
import { latinDigits } from '#platform/words'

const maxTyped = 100
/** What people and keyboards put between digits: blanks, marks of direction, hyphens and dashes, brackets, dots, slashes. */
const between = /[\s\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\-\u2010-\u2015\u2212()./]/g
const iran = '98'

/**
 * Returns a typed number in E.164. A number without country is one of Iran, if such numbers are permitted: `0912…`, or `912…` in ten digits. `prefixes` are the
 * permitted beginnings (`+98`); a number may begin with one of them without its sign. Undefined for what is no number.
 */
export function phoneNumber(text: string, prefixes: readonly string[]): string | undefined {
  if (text.length > maxTyped) return undefined
  const plain = latinDigits(text.normalize('NFKC')).replace(between, '')
  const [, sign, digits] = /^(\+|00)?(\d{4,18})$/.exec(plain) ?? []
  if (digits === undefined) return undefined
  const whole = sign === undefined ? withCountry(digits, prefixes) : digits
  return whole === undefined ? undefined : inE164(whole)
}

/** The digits with those of the country; undefined where it is not clear which one that is. */
function withCountry(digits: string, prefixes: readonly string[]): string | undefined {
  const takesIran = prefixes.some((prefix) => `+${iran}`.startsWith(prefix) || prefix.startsWith(`+${iran}`))
  if (takesIran && /^0?9\d{9}$/.test(digits)) return iran + digits.replace(/^0/, '')
  return prefixes.some((prefix) => digits.startsWith(prefix.slice(1))) ? digits : undefined
}

function inE164(digits: string): string | undefined {
  // People write `+98 0912 …`, with the zero of the national form.
  if (digits.startsWith(iran)) return /^980?9\d{9}$/.test(digits) ? `+98${digits.slice(-10)}` : undefined
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : undefined
}

/** Whether messages go to this number (E.164). */
export const isPermitted = (number: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => number.startsWith(prefix))

/** A number as others may see it: `+98…89`. */
export const maskedNumber = (number: string): string => `${number.slice(0, 3)}…${number.slice(-2)}`
