import { latinDigits } from './digits.ts'

/** Names are compared as people type them: ي and ی, ك and ک, half-spaces and blanks, the digits of three alphabets and both cases are alike. */
export function sameName(one: string, other: string): boolean {
  return plain(one) === plain(other)
}

const plain = (text: string): string =>
  latinDigits(text.normalize('NFKC'))
    .replace(/ي/g, 'ی')
    .replace(/ك/g, 'ک')
    .replace(/[\s\u200c\u200e\u200f\u2066-\u2069\u202a-\u202e]+/g, ' ')
    .trim()
    .toLowerCase()
