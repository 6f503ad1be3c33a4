/**
 * Numbers and days as people write them. This folder's readers also run in a confined process, which may load nothing from elsewhere
 * in the house.
 */

export const latinDigits = (text: string): string =>
  text.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf))

const written = /^([-−–+]|\()?\s*(\d{1,3}(?:[,٬،'’ \u00a0\u202f]\d{3})+|\d+)?(?:[.٫](\d+))?\s*(-|−|\))?$/
/** More digits than a spreadsheet holds would be rounded. */
const mostDigits = 15

/** A number as plain decimal text (`-1250.5`); undefined for what is none, and for codes: 007, ۰۹۱۲…, card numbers. */
export function decimalOf(text: string): string | undefined {
  const match = written.exec(latinDigits(text.trim()))
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', tail] = match
  const digits = whole.replace(/\D/g, '')
  if ((digits === '' && fraction === '') || digits.length + fraction.length > mostDigits) return undefined
  if (/^0\d/.test(digits) || sign === '+') return undefined
  if ((sign === '(') !== (tail === ')') || (sign !== undefined && sign !== '(' && tail)) return undefined
  const isNegative = sign !== undefined || tail !== undefined
  const plain = `${digits || '0'}${fraction.replace(/0+$/, '') && `.${fraction.replace(/0+$/, '')}`}`
  return isNegative && /[1-9]/.test(plain) ? `-${plain}` : plain
}

/** `12.5%`, `۱۲٫۵٪`: the number before the sign. */
export function percentOf(text: string): string | undefined {
  const match = /^(.+?)\s?[%٪]$/.exec(text.trim()) ?? /^[%٪]\s?(.+)$/.exec(text.trim())
  return match ? decimalOf(match[1]!) : undefined
}

/** `۱۲٬۵۰۰ تومان`, `$12`: a number with a unit before or behind it. */
export function measuredOf(text: string): { number: string; unit: string } | undefined {
  const match =
    /^(?<number>[-−(]?[\d۰-۹٠-٩][\d۰-۹٠-٩.,٬٫]*\)?)\s?(?<unit>[\p{L}$€£¥²³/°\u200c ]{1,20})$/u.exec(
      text.trim(),
    ) ?? /^(?<unit>[$€£¥]|[A-Z]{3})\s?(?<number>[-−]?[\d۰-۹٠-٩][\d۰-۹٠-٩.,٬٫]*)$/u.exec(text.trim())
  const number = match && decimalOf(match.groups!['number']!)
  return number === undefined || number === null
    ? undefined
    : { number, unit: match!.groups!['unit']!.trim() }
}

/** A day as `1403/01/05` (Jalali) or `2024-03-24` (Gregorian): text that sorts as time does. */
export function dayOf(text: string): { day: string; calendar: 'jalali' | 'gregorian' } | undefined {
  const match = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(latinDigits(text.trim()))
  if (!match) return undefined
  const [year, month, day] = [match[1], match[3], match[4]].map(Number) as [number, number, number]
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  const two = (part: number) => String(part).padStart(2, '0')
  if (year >= 1200 && year <= 1500)
    return month > 6 && day > 30
      ? undefined
      : { day: `${year}/${two(month)}/${two(day)}`, calendar: 'jalali' }
  const date = new Date(Date.UTC(year, month - 1, day))
  if (year < 1700 || year > 2300 || date.getUTCDate() !== day) return undefined
  return { day: `${year}-${two(month)}-${two(day)}`, calendar: 'gregorian' }
}

/** Decimals as integers of one scale, so that sums are exact. */
export interface Exact {
  scale: number
  units: bigint[]
}

export function exactOf(decimals: readonly string[]): Exact {
  const scale = decimals.reduce((most, text) => Math.max(most, text.split('.')[1]?.length ?? 0), 0)
  return { scale, units: decimals.map((text) => unitsOf(text, scale)) }
}

function unitsOf(text: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole.replace('-', '') + fraction.padEnd(scale, '0')) * (whole.startsWith('-') ? -1n : 1n)
}

/** An integer of a scale as decimal text. */
export function decimalText(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

/** A quotient with six more decimals than its dividend, rounded half away from zero. */
export function divided(units: bigint, scale: number, by: bigint): string {
  const more = 6
  const numerator = units * 10n ** BigInt(more) * 2n
  const negative = numerator < 0n !== by < 0n
  const [top, bottom] = [numerator < 0n ? -numerator : numerator, by < 0n ? -by : by]
  const rounded = (top / bottom + 1n) / 2n
  return decimalText(negative ? -rounded : rounded, scale + more)
}
