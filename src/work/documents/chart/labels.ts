import type { Language } from '../model.ts'
import { inDigits } from '../phrases.ts'

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

/** Keeps brackets and Latin words of a Persian label in their places: drawing programs begin every text from the left. */
export const withDirectionMarks = (text: string, language: Language): string =>
  text !== '' && (language === 'fa' || rightToLeft.test(text)) ? `\u202b${text}\u202c` : text

/** A label on one line, truncated so that it leaves room for the others. */
export function labelOf(text: string, language: Language, maxCharacters = 60): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const cut = line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1).toWellFormed()}…` : line
  return withDirectionMarks(/^[\d.,/-]+$/.test(cut) ? inDigits(language, cut) : cut, language)
}

/** A label wrapped to `widthPx` pixels, on at most three lines, each with its own direction. */
export function wrappedLabel(text: string, language: Language, widthPx: number, sizePx: number): string {
  const lines: string[] = []
  for (const word of text.replace(/\s+/g, ' ').trim().split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word
    if (lines.length > 0 && widthOf(longer, sizePx) <= widthPx) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
    .slice(0, 3)
    .map((line) => labelOf(line, language))
    .join('\n')
}

/** The width of a text in Vazirmatn, accurate enough to lay out labels: joined letters are narrow, marks and controls have no width. */
export function widthOf(text: string, sizePx: number): number {
  let em = 0
  for (const character of text) {
    if (/[\p{Mn}\p{Cf}]/u.test(character)) continue
    if (character === ' ') em += 0.25
    else if (/\p{Script=Arabic}/u.test(character)) em += /\p{N}/u.test(character) ? 0.58 : 0.5
    else if (/[ijl.,:;'|!()[\]]/.test(character)) em += 0.3
    else if (/[mwMW@%]/.test(character)) em += 0.87
    else if (/\p{Lu}/u.test(character)) em += 0.65
    else em += character.codePointAt(0)! > 0x2e80 ? 1 : 0.56
  }
  return em * sizePx
}

/** Writes the numbers of an axis with the digits and signs of the language; large numbers are shortened. */
export function numberWriter(language: Language, largest: number): (value: number) => string {
  const format = new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US', {
    maximumFractionDigits: largest >= 1_000_000 ? 1 : largest >= 100 ? 0 : largest >= 1 ? 2 : 4,
    ...(largest >= 1_000_000 && { notation: 'compact' }),
  })
  return (value) => withDirectionMarks(format.format(value), language)
}

export const percentWriter = (language: Language): ((part: number) => string) => {
  const format = new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US', {
    style: 'percent',
    maximumFractionDigits: 1,
  })
  return (part) => format.format(part)
}
