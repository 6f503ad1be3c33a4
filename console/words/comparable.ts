import { latinDigits } from './digits.ts'

/** A text as it is compared: one form of ی, ک and digits, without half-spaces, marks, signs of direction and case. */
export const comparable = (text: string): string =>
  latinDigits(text)
    .normalize('NFKC')
    .replace(/ي|ى/g, 'ی')
    .replace(/ك/g, 'ک')
    .replace(/ة|ۀ/g, 'ه')
    .replace(/[\u200c\u064b-\u0655\u0640\u061c\u200e\u200f\u2066-\u2069]/g, '')
    .toLowerCase()
    .trim()
