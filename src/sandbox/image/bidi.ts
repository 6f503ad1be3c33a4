/**
 * Prepares lines for a renderer that orders each by itself, so that they stand as if their paragraph were one bidirectional text (UAX #9): invisible
 * marks stand for what a line inherits from the words before and after it.
 */

type StrongDirection = 'left' | 'right' | 'arabic'

/** The marks LRM, RLM and ALM; digits after ALM are ordered like those of an Arabic text. */
const marks: Record<StrongDirection, string> = { left: '\u200e', right: '\u200f', arabic: '\u061c' }
const [rightToLeftIsolate, leftToRightIsolate, endOfIsolate] = ['\u2067', '\u2066', '\u2069']

const letterOrDigit = /[\p{L}\p{Nd}]/gu

const directionOf = (letter: string): StrongDirection =>
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(letter)
    ? 'arabic'
    : /\p{Script=Hebrew}/u.test(letter)
      ? 'right'
      : 'left'

/** Whether the text runs from right to left, by its first letter with a direction (P2, P3). */
export function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)
  return first !== null && directionOf(first[0]) !== 'left'
}

/** The lines of one paragraph, with their marks. */
export function orderedLines(lines: readonly string[], rightToLeft: boolean): string[] {
  const open = rightToLeft ? rightToLeftIsolate : leftToRightIsolate
  let before: StrongDirection | undefined
  return lines.map((line, at) => {
    const last = line.match(/\p{L}/gu)?.at(-1)
    const until = last === undefined ? before : directionOf(last)
    const after = firstOf(lines.slice(at + 1), until)
    const whole = `${open}${before ? marks[before] : ''}${line}${after ? marks[after] : ''}${endOfIsolate}`
    before = until
    return whole
  })
}

/**
 * The direction of the first letter or digit. Digits belong to the letters before them if these run from left to right (W7), else they count as right
 * to left (N1).
 */
function firstOf(lines: readonly string[], before: StrongDirection | undefined): StrongDirection | undefined {
  for (const line of lines) {
    letterOrDigit.lastIndex = 0
    const [found] = letterOrDigit.exec(line) ?? []
    if (found === undefined) continue
    if (/\p{L}/u.test(found)) return directionOf(found)
    return before === undefined ? undefined : before === 'left' ? 'left' : 'right'
  }
  return undefined
}
