/** Normalises spellings. The readers in this folder run in a confined process, which may import nothing from outside. */

export const latinDigits = (text: string): string =>
  text.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf))

/** Invisible direction and joining characters, except for the half-space (ZWNJ). */
const unseen = /\u00ad|\u061c|\u200b|\u200d|[\u200e\u200f]|[\u202a-\u202e]|[\u2060-\u2069]|\ufeff/g
const isPlain = /^[\x20-\x7e]*$/

export const withoutUnseen = (text: string): string => (isPlain.test(text) ? text : text.replace(unseen, ''))

/** A text for display: Persian letters in place of their Arabic lookalikes, no invisible characters, single spaces. */
export function tidyText(text: string): string {
  const plain = isPlain.test(text)
    ? text
    : text
        .replace(unseen, '')
        .replace(/[\ufb50-\ufdff\ufe70-\ufefc]+/g, (forms) => forms.normalize('NFKC'))
        .replace(/[يى]/g, 'ی')
        .replaceAll('ك', 'ک')
  return plain.replace(/[^\S\n]+/g, ' ').trim()
}

/** Texts without other forms of letters, which Unicode's tables (NFKC) would map to the usual ones. */
const isUsual = /^[\x20-\x7e\u0600-\u06ff\u200c]*$/

const persianLetter = /[\u0620-\u064a\u066e-\u06d3]/

/**
 * The key that all spellings of a word share: كرمان and کرمان, «خرم‌آباد», «خرم آباد» and «خرماباد» written with a half-space, a space or none,
 * capitals, digits of any script. Spaces beside digits and Latin letters stay: «کد 1 23» is not «کد 12 3».
 */
export function foldKey(text: string): string {
  if (isPlain.test(text)) return text.replace(/\s+/g, ' ').trim().toLowerCase()
  const digits = latinDigits(text)
  const folded = (isUsual.test(digits) ? digits : digits.normalize('NFKC'))
    .replace(unseen, '')
    .replace(/[يىئ]/g, 'ی')
    .replaceAll('ك', 'ک')
    .replace(/[ةۀ]/g, 'ه')
    .replace(/[أإٱ]/g, 'ا')
    .replaceAll('ؤ', 'و')
    // Short vowels and the tatweel.
    .replace(/[\u064b-\u0655\u0670\u0640]/g, '')
    .replace(/[\s\u200c]+/g, ' ')
    .trim()
    .toLowerCase()
  return withoutJoints(folded)
}

/** A copy of a text, since a substring of a large text would keep all of it in memory. */
export const detachedCopy = (text: string): string =>
  text.length < 13 ? text : Buffer.from(text, 'utf16le').toString('utf16le')

/** Removes the spaces between two Persian letters. */
function withoutJoints(text: string): string {
  if (!text.includes(' ')) return text
  let joined = ''
  for (let at = 0; at < text.length; at += 1) {
    const isJoint =
      text[at] === ' ' && persianLetter.test(text[at - 1] ?? '') && persianLetter.test(text[at + 1] ?? '')
    if (!isJoint) joined += text[at]
  }
  return joined
}
