/** Digits: what people type becomes Latin, what people read is in the digits of their language. */
import type { Locale } from './locale.ts'

const zeros = ['۰', '٠'].map((zero) => zero.codePointAt(0)!)

/** Persian and Arabic digits as Latin ones; everything else stays. */
export function latinDigits(text: string): string {
  return text.replace(/[۰-۹٠-٩]/g, (digit) => {
    const code = digit.codePointAt(0)!
    const zero = zeros.find((start) => code >= start && code < start + 10)!
    return String(code - zero)
  })
}

/** Latin digits as Persian ones. */
export const persianDigits = (text: string | number): string =>
  String(text).replace(/\d/g, (digit) => String.fromCodePoint(zeros[0]! + Number(digit)))

/**
 * The one normaliser of number fields: a decimal in Latin digits without separators, such as `1200.5`, or undefined if the text is no number. Takes
 * Persian, Arabic and Latin digits, the separators ٬ and , and the points ٫ and /; a comma that is followed by exactly three digits separates.
 */
export function readNumber(text: string): string | undefined {
  const plain = latinDigits(text)
    .replace(/[\u200e\u200f\u061c\u2066-\u2069\s\u200c]/g, '')
    .replace(/[−–]/g, '-')
    .replace(/٫/g, '.')
    .replace(/[٬']/g, ',')
    .replace(/^(-?\d+)\/(\d+)$/, '$1.$2')
  if (!/^-?[\d,]+(?:\.\d+)?$/.test(plain)) return undefined
  const [whole = '', fraction] = plain.split('.')
  const [first = '', ...groups] = whole.split(',')
  if (groups.length > 0 && !(/^-?\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group))))
    return undefined
  const digits = [first, ...groups].join('').replace(/^(-?)0+(?=\d)/, '$1')
  return fraction === undefined ? digits : `${digits}.${fraction}`
}

/** A code such as `123456`, of a text in which it may have spaces, hyphens and any digits. */
export const readCode = (text: string): string => latinDigits(text).replace(/[\s\u200c\u200e\u200f-]/g, '')

const formats = new Map<string, Intl.NumberFormat>()

function formatOf(locale: Locale, decimals: [number, number]): Intl.NumberFormat {
  const name = `${locale} ${decimals}`
  const known = formats.get(name)
  if (known) return known
  const made = new Intl.NumberFormat(locale === 'fa' ? 'fa-IR' : 'en-US', {
    minimumFractionDigits: decimals[0],
    maximumFractionDigits: decimals[1],
    roundingMode: 'trunc',
  } as Intl.NumberFormatOptions)
  formats.set(name, made)
  return made
}

/** A number in the digits of the language, cut at `most` decimals and filled with zeros up to `least`. */
export const formatNumber = (
  locale: Locale,
  value: number | bigint,
  { least = 0, most = 3 }: { least?: number; most?: number } = {},
): string => formatOf(locale, [least, Math.max(least, most)]).format(value)

/** A decimal of any length in the digits of the language, with exactly so many decimals; none of its digits is lost. */
export const formatDecimal = (locale: Locale, decimal: `${number}`, decimals: number): string =>
  formatOf(locale, [decimals, decimals]).format(decimal)

/** A part of a whole, in whole percent: `48%` or `۴۸٪`. */
export function formatPercent(locale: Locale, part: number): string {
  // 0.29 times 100 is less than 29 in binary, so the error is rounded away before the part is cut.
  const percent = Math.floor(Number((part * 100).toFixed(6)))
  return locale === 'fa' ? `${persianDigits(percent)}٪` : `${percent}%`
}

/**
 * Micro-credits as credits in the digits of the language, exact to the last of them: rounded up at `most` decimals, as what people pay is, and filled
 * with zeros up to `least`.
 */
export function formatMicrocredits(
  locale: Locale,
  microcredits: bigint,
  { least = 0, most = 6 }: { least?: number; most?: number } = {},
): string {
  const step = 10n ** BigInt(6 - most)
  // Division cuts towards zero, which of what is below zero is up.
  const shown = ((microcredits < 0n ? microcredits : microcredits + step - 1n) / step) * step
  const digits = String(shown < 0n ? -shown : shown).padStart(7, '0')
  const decimal = `${shown < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}` as `${number}`
  return formatOf(locale, [least, Math.max(least, most)]).format(decimal)
}
