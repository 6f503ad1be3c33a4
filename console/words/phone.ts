/** Phone numbers: what of a typed text is one, and how people read them. */
import { latinDigits, persianDigits } from './digits.ts'
import type { Locale } from './locale.ts'

/** What people and keyboards put between digits. */
const between = /[\s\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\-\u2010-\u2015\u2212()./]/g

/** Whether a typed text is meant as a phone number rather than an address of mail; the server says whether it is a right one. */
export const isPhoneNumber = (text: string): boolean =>
  /^\+?\d{5,}$/.test(latinDigits(text.normalize('NFKC')).replace(between, ''))

/** A number in E.164 as people write it: one of Iran as at home, `0912 345 6789`; others with their country. Persian digits in Persian. */
export function showPhone(number: string, locale: Locale): string {
  const [, network, middle, end] = /^\+98(\d{3})(\d{3})(\d{4})$/.exec(number) ?? []
  const text = network === undefined ? number : `0${network} ${middle} ${end}`
  return locale === 'fa' ? persianDigits(text) : text
}
