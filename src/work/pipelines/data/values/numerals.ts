/**
 * Parses numbers as people write them: signs, separators, magnitudes, currencies, percent. The column decides which separator is the
 * decimal sign.
 */
import { latinDigits, withoutUnseen } from './fold.ts'

/** A parsed number with its surroundings, before the meaning of its separators is decided. */
export interface Numeral {
  negative: boolean
  /** Latin digits and the separators as written: `1.234,56`. */
  body: string
  /** The power of ten of a magnitude: 6 for «میلیون». */
  power: number
  /** The rest in smaller magnitudes: «… و ۵۰۰ هزار». */
  rest?: { body: string; power: number }[]
  percent: boolean
  /** '' if there is none. */
  unit: string
}

export type DecimalSign = '.' | ','

/** Possible meanings of a number's separators. `dot` and `comma`: only this can be the decimal sign. */
export type SeparatorStyle = 'plain' | 'dot' | 'comma' | 'ambiguous' | 'slash' | 'none'

/** Longer digit sequences are codes: card numbers, accounts. */
const maxIntegerDigits = 15
const maxFraction = 20

const minus = '-−–—‐‑‒﹣－'
const magnitudes: Record<string, number> = {
  هزار: 3,
  میلیون: 6,
  ملیون: 6,
  میلیارد: 9,
  ملیارد: 9,
  بیلیون: 12,
  تریلیون: 12,
  thousand: 3,
  million: 6,
  billion: 9,
  trillion: 12,
}
const percents = new Set(['%', '٪', 'درصد', 'percent'])
const prefix = /^(?:[$€£¥₺﷼%٪]|[A-Z]{3}(?=[\s\d])|ریال|تومان|تومن)/u
const isUnit = /^[\p{L}$€£¥₺﷼²³/°.\u200c ]{1,20}$/u
const digit = /[0-9]/

/** A whole number in Latin digits without any separator, and no code. */
export function isInteger(cell: string): boolean {
  const start = cell.charCodeAt(0) === 45 ? 1 : 0
  const { length } = cell
  if (length === start || length - start > maxIntegerDigits) return false
  if (cell.charCodeAt(start) === 48 && length > start + 1) return false
  for (let at = start; at < length; at += 1) {
    const code = cell.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return true
}

/** Persian letters that do not begin a number: only «ریال» and «تومان» stand before one. */
const isWord = /^[\u0621-\u0629\u062b-\u0630\u0632-\u0643\u0645-\u064a\u0670-\u06d3a-z]/

/** Returns undefined if the text is not a number. */
export function numeralOf(text: string): Numeral | undefined {
  if (isWord.test(text)) return undefined
  let left = latinDigits(withoutUnseen(text)).replaceAll('ي', 'ی').trim()
  if (left.length > 80 || !digit.test(left)) return undefined
  let negative = false
  if (left.startsWith('(') && left.endsWith(')')) {
    negative = true
    left = left.slice(1, -1).trim()
  }
  const sign = takeSign(left)
  if (sign.negative && negative) return undefined
  negative ||= sign.negative
  left = sign.left
  const lead = prefix.exec(left)?.[0] ?? ''
  if (lead) {
    const inner = takeSign(left.slice(lead.length).trim())
    if (inner.negative && negative) return undefined
    negative ||= inner.negative
    left = inner.left
  }
  const body = leadingDigits(left)
  if (body === '') return undefined
  return parseTail({ negative, body, lead, isSigned: sign.signed }, left.slice(body.length).trim())
}

function takeSign(text: string): { left: string; negative: boolean; signed: boolean } {
  const negative = minus.includes(text[0] ?? ' ')
  const signed = negative || text[0] === '+'
  return { left: signed ? text.slice(1).trim() : text, negative, signed }
}

const separators = ".,٬٫/'’، \u00a0\u202f\u2009"

/** The digits at the beginning of a text, with single separators between them. */
function leadingDigits(text: string): string {
  let end = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) end = at + 1
    else if (!separators.includes(text[at]!) || (at > 0 && separators.includes(text[at - 1]!))) break
    else if (at === 0 && text[0] !== '.' && text[0] !== '٫') break
  }
  return text.slice(0, end)
}

interface Head {
  negative: boolean
  body: string
  lead: string
  isSigned: boolean
}

function parseTail({ negative, body, lead, isSigned }: Head, tail: string): Numeral | undefined {
  let left = tail
  let isNegative = negative
  if (left.length === 1 && minus.includes(left)) {
    if (isSigned || negative) return undefined
    isNegative = true
    left = ''
  }
  const exponent = /^[eE]([+-]\d{1,2})(?!\d)/.exec(left)
  if (exponent)
    return left.length === exponent[0].length
      ? { negative: isNegative, body, power: Number(exponent[1]), percent: false, unit: lead }
      : undefined
  const words = magnitudeOf(left)
  left = words.left
  const leading = percents.has(lead) ? '%' : lead
  const percent = percents.has(left.toLowerCase()) || leading === '%'
  if (percents.has(left.toLowerCase())) left = ''
  if (left !== '' && (!isUnit.test(left) || (lead !== '' && lead !== left))) return undefined
  const unit = unitOf(left || (leading === '%' ? '' : lead))
  // A plus before a long run of digits is a telephone number.
  if (isSigned && !isNegative && /^\d{10,}$/.test(body)) return undefined
  return {
    negative: isNegative,
    body,
    power: words.power,
    ...(words.rest.length > 0 && { rest: words.rest }),
    percent,
    unit,
  }
}

/** Splits a text such as «میلیارد و ۵۰۰ میلیون تومان» into its magnitude, the numbers added to it, and the remaining text. */
function magnitudeOf(text: string): { power: number; rest: { body: string; power: number }[]; left: string } {
  const first = leadingMagnitude(text)
  const rest: { body: string; power: number }[] = []
  if (!first) return { power: 0, rest, left: text }
  let left = text.slice(first.length).trim()
  while (/^و\s?\d/.test(left) && rest.length < 4) {
    const after = left.slice(1).trim()
    const body = leadingDigits(after)
    const word = leadingMagnitude(after.slice(body.length).trim())
    left = after
      .slice(body.length)
      .trim()
      .slice(word?.length ?? 0)
      .trim()
    rest.push({ body, power: word?.power ?? 0 })
  }
  return { power: first.power, rest, left }
}

function leadingMagnitude(text: string): { power: number; length: number } | undefined {
  const word = /^\p{L}{3,9}/u.exec(text)?.[0]
  const power = word === undefined ? undefined : magnitudes[word.toLowerCase()]
  return power === undefined ? undefined : { power, length: word!.length }
}

/** A unit, with one name for each currency. */
function unitOf(written: string): string {
  const unit = written.trim().replace(/\.$/, '')
  if (['ریال', '﷼', 'IRR', 'ریالات'].includes(unit)) return 'ریال'
  return ['تومان', 'تومن', 'IRT'].includes(unit) ? 'تومان' : unit
}

/** The possible meanings of the separators. */
export function styleOf(body: string): SeparatorStyle {
  let [dots, commas, slashes] = [0, 0, 0]
  for (const sign of body) {
    if (sign === '.') dots += 1
    else if (sign === ',' || sign === '،') commas += 1
    else if (sign === '/') slashes += 1
  }
  // 1,250/75: the commas leave the slash no other meaning than that of a decimal sign.
  if (slashes > 0)
    return slashes === 1 && (dots + commas === 0 || plainDecimal(body, '.') !== undefined) ? 'slash' : 'none'
  if (dots + commas === 0) return 'plain'
  const [asDot, asComma] = [plainDecimal(body, '.'), plainDecimal(body, ',')]
  if (asDot === undefined && asComma === undefined) return 'none'
  if (asComma === undefined) return 'dot'
  if (asDot === undefined) return 'comma'
  return asDot === asComma ? 'plain' : 'ambiguous'
}

/** A body as plain decimal text (`1234.56`), read with this decimal sign; undefined if it is no number then, or a code: 007, ۰۹۱۲…, card numbers. */
export function plainDecimal(body: string, decimal: DecimalSign): string | undefined {
  const grouping = decimal === '.' ? ',،' : '.'
  const marks = decimal === '.' ? '.٫/' : ',٫/'
  let point = -1
  for (let at = 0; at < body.length; at += 1)
    if (marks.includes(body[at]!)) {
      if (point >= 0) return undefined
      point = at
    }
  const integer = point < 0 ? body : body.slice(0, point)
  const fraction = point < 0 ? '' : body.slice(point + 1)
  if (/\D/.test(fraction) || fraction.length > maxFraction) return undefined
  const digits = ungrouped(integer, `${grouping}٬'’ \u00a0\u202f\u2009`)
  if (digits === undefined || digits.length > maxIntegerDigits || /^0\d/.test(digits)) return undefined
  const significant = withoutZeros(fraction)
  return `${digits || '0'}${significant && `.${significant}`}`
}

/** An integer such as `1,234,567` without its separators; undefined if they are not before every third digit. */
function ungrouped(integer: string, signs: string): string | undefined {
  if (!/\D/.test(integer)) return integer
  let sign = ''
  const groups: string[] = ['']
  for (const character of integer) {
    if (character >= '0' && character <= '9') groups[groups.length - 1] += character
    else if (!signs.includes(character) || (sign !== '' && sign !== character)) return undefined
    else {
      sign = character
      groups.push('')
    }
  }
  const [first, ...rest] = groups
  const isGrouped = first!.length >= 1 && first!.length <= 3 && rest.every(({ length }) => length === 3)
  return isGrouped && first !== '0' ? groups.join('') : undefined
}

function withoutZeros(fraction: string): string {
  let end = fraction.length
  while (end > 0 && fraction[end - 1] === '0') end -= 1
  return fraction.slice(0, end)
}

/** The number as plain decimal text, with the given decimal sign. */
export function numeralToDecimal(numeral: Numeral, decimal: DecimalSign): string | undefined {
  const { negative, body, power, rest = [] } = numeral
  let plain = plainDecimal(body, decimal)
  if (plain === undefined) return undefined
  if (power !== 0) plain = timesPowerOfTen(plain, power)
  for (const part of rest) {
    const more = plainDecimal(part.body, decimal)
    if (more === undefined) return undefined
    plain = added(plain, timesPowerOfTen(more, part.power))
  }
  return negative && /[1-9]/.test(plain) ? `-${plain}` : plain
}

/** A decimal without a sign times a power of ten. */
export function timesPowerOfTen(plain: string, power: number): string {
  const [integer = '0', fraction = ''] = plain.split('.')
  const digits = integer + fraction
  const point = integer.length + power
  const padded =
    point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(Math.max(point, digits.length), '0')
  const at = point <= 0 ? 1 : point
  const front = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const back = withoutZeros(padded.slice(at))
  return `${front}${back && `.${back}`}`
}

function added(one: string, other: string): string {
  const scale = Math.max(one.split('.')[1]?.length ?? 0, other.split('.')[1]?.length ?? 0)
  const units = (text: string) => {
    const [integer = '0', fraction = ''] = text.split('.')
    return BigInt(integer + fraction.padEnd(scale, '0'))
  }
  return timesPowerOfTen(String(units(one) + units(other)), -scale)
}

/** Parses a single number with the decimal signs of English and Persian; for texts outside of columns. */
export function decimalOf(text: string): string | undefined {
  const numeral = numeralOf(text)
  if (!numeral || numeral.percent || numeral.unit !== '' || numeral.power !== 0) return undefined
  const isUnsure = styleOf(numeral.body) === 'slash' && !/[,،]/.test(numeral.body)
  return isUnsure ? undefined : numeralToDecimal(numeral, '.')
}

/** The number before the sign in `12.5%` or `۱۲٫۵٪`. */
export function percentOf(text: string): string | undefined {
  const numeral = numeralOf(text)
  return numeral?.percent ? numeralToDecimal(numeral, '.') : undefined
}
