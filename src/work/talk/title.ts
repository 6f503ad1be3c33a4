/** Titles of conversations: what the person calls them, or their first words, without a call. */

const maxLength = 80

/** Signs that turn the direction of what follows them, control characters and line ends; the half-space and the joiner of emoji stay. */
const unseen = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu

/** The text on one line, without unseen signs. */
export const onOneLine = (text: string): string =>
  text.toWellFormed().replace(unseen, ' ').replace(/\s+/g, ' ').trim()

/** The first words of a text on one line: at most 80 UTF-16 units, cut between words, with an ellipsis where words are left out. */
export function firstWordsOf(text: string): string {
  const line = onOneLine(text.slice(0, 20 * maxLength))
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength - 1)
  const space = line[maxLength - 1] === ' ' ? maxLength - 1 : cut.lastIndexOf(' ')
  const kept = space > 0 ? cut.slice(0, space) : withoutLastCharacter(cut)
  return `${withoutBlankEnd(kept)}…`
}

/** Without the blanks and half-spaces at its end. */
function withoutBlankEnd(text: string): string {
  let end = text.length
  while (end > 0 && /[\s\u200c]/u.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Without the last grapheme cluster, which a cut may have split. */
function withoutLastCharacter(text: string): string {
  const last = [...new Intl.Segmenter('fa', { granularity: 'grapheme' }).segment(text)].at(-1)
  return text.slice(0, last?.index ?? 0)
}
