/** Codes of six digits, which people read in one place and type in another, and tokens of links. */
import { randomInt, timingSafeEqual } from 'node:crypto'
import { randomBase62 } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { latinDigits } from '#platform/words'

/** Wrong entries that one code allows. */
export const maxCodeTries = 5

/** Returns six random digits. */
export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')

/** Returns the digits of a typed code: people type those of their own keyboard, with blanks between, and paste marks of direction with them. */
export const typedCode = (code: string): string => latinDigits(code.slice(0, 100)).replace(/\D/g, '')

/** Returns the first candidate whose code is the given one; the time does not depend on how many characters are right. */
export function matchCode<Candidate>(
  candidates: readonly Candidate[],
  codeOf: (candidate: Candidate) => string | Uint8Array,
  given: string | Uint8Array,
): Candidate | undefined {
  const hash = sha256(given)
  return candidates.filter((candidate) => timingSafeEqual(sha256(codeOf(candidate)), hash))[0]
}

const tokenLength = 43

/** A new token that acts for whoever holds it: its prefix, and 43 random characters (256 bits). */
export const newToken = (prefix: `${string}_` | ''): string => prefix + randomBase62(tokenLength)

/** False for a text that cannot be a token of this prefix; needs no database query. */
export const couldBeToken = (prefix: `${string}_` | '', text: string): boolean =>
  text.length === prefix.length + tokenLength &&
  text.startsWith(prefix) &&
  /^[0-9A-Za-z]+$/.test(text.slice(prefix.length))

/** What the database keeps of a token. */
export const hashToken = (token: string): Buffer => sha256(token)
