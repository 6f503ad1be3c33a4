/**
 * Normalises indexed texts and queries to one spelling: letters of Arabic keyboards, vowel marks, the three
 * kinds of digits, wide and narrow forms, capitals. The half-space (ZWNJ) stays, since it separates the parts of a compound.
 */
export function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .replace(ignoredMarks, '')
    .toLowerCase()
    .replace(otherLetters, (letter) => letters[letter]!)
    .replace(easternDigits, (digit) => String(digit.codePointAt(0)! & 15))
    .replace(/(?<=\d)[,٬](?=\d{3}(?!\d))/g, '')
    .replace(/(?<=\d)٫(?=\d)/g, '.')
    .replace(/(?<=\p{Script=Arabic})(?=\d)|(?<=\d)(?=\p{Script=Arabic})/gu, ' ')
}

export const halfSpace = '\u200c'

/** Marks over and under letters, hamza among them (NFKD has separated it), the stretching of words, and signs of direction. */
const ignoredMarks =
  /(?:\p{M}|\u200d|[\u0640\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff])+/gu

const letters: Record<string, string> = {
  ك: 'ک',
  ڪ: 'ک',
  ي: 'ی',
  ى: 'ی',
  ې: 'ی',
  ے: 'ی',
  ة: 'ه',
  ۃ: 'ه',
  ە: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ٱ: 'ا',
}
const otherLetters = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')

/** Arabic (U+0660) and Persian (U+06F0) digits; the last four bits of each are its value. */
const easternDigits = /[\u0660-\u0669\u06f0-\u06f9]/g
