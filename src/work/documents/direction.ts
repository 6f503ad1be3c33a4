import { type Direction, type Inline, type Language, plainText } from './model.ts'

const rightToLeftLetter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const letter = /\p{L}/u
const tokenPattern = /[A-Za-z][A-Za-z\d]*[+#]{1,2}\u200e?|[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu

export const directionOfLanguage = (language: Language): Direction => (language === 'fa' ? 'rtl' : 'ltr')

/**
 * The direction of a paragraph. In a Persian document, only a paragraph entirely in the other script has its direction, since a Persian sentence may
 * contain more Latin names than Persian words. In an English document, Persian must be the majority.
 */
export function directionOf(content: readonly Inline[] | string, language: Language): Direction {
  const text = typeof content === 'string' ? content : plainText(content)
  let rightToLeft = 0
  let leftToRight = 0
  for (const character of text) {
    if (!letter.test(character)) continue
    if (rightToLeftLetter.test(character)) rightToLeft += 1
    else leftToRight += 1
  }
  if (language === 'fa') return rightToLeft === 0 && leftToRight > 0 ? 'ltr' : 'rtl'
  return rightToLeft > leftToRight ? 'rtl' : 'ltr'
}

export interface Segment {
  text: string
  direction: Direction
}

/**
 * Splits a text where its direction changes. Characters between two words of one direction join them; at a boundary, and for digits of
 * the document's language, the direction of the paragraph applies.
 */
export function segmentsOf(text: string, base: Direction): Segment[] {
  const segments: Segment[] = []
  let pending = ''
  const push = (piece: string, direction: Direction) => {
    const last = segments.at(-1)
    if (last?.direction === direction) last.text += piece
    else segments.push({ text: piece, direction })
  }
  for (const [piece] of text.matchAll(tokenPattern)) {
    const direction = strongDirection(piece)
    if (!direction) {
      pending += piece
      continue
    }
    if (pending) push(pending, segments.at(-1)?.direction === direction ? direction : base)
    push(piece, direction)
    pending = ''
  }
  if (pending) push(pending, base)
  return segments
}

function strongDirection(piece: string): Direction | undefined {
  if (rightToLeftLetter.test(piece)) return 'rtl'
  return letter.test(piece) ? 'ltr' : undefined
}
