/** The direction of a block of text that people or models wrote. */

export type Direction = 'rtl' | 'ltr'

const rtlLetter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const letter = /\p{L}/gu

/**
 * Right to left if the first strong letter is, or at least 30 % of the strong letters are; inline code and addresses do not count. A text without
 * letters takes the direction of the block before it (`before`).
 */
export function directionOfText(text: string, before: Direction): Direction {
  const counted = text.replace(/`[^`]*`/g, ' ').replace(/\b(?:https?:\/\/|www\.)\S+/gi, ' ')
  const letters = counted.match(letter) ?? []
  if (letters.length === 0) return before
  if (rtlLetter.test(letters[0]!)) return 'rtl'
  const rtl = letters.filter((one) => rtlLetter.test(one)).length
  return rtl / letters.length >= 0.3 ? 'rtl' : 'ltr'
}
