/** Reads what people type (credits, ids, dates) and writes amounts back. */
import { maxMicrocredits } from '#account/identity'
import type { Language } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { type Caps, microcreditsPerCredit } from '#platform/ledger'
import { refuseUsage } from './command.ts'
import { digits, latin, minus } from './numerals.ts'
import { phrases } from './phrases.ts'

/** Credits with at most six decimals, as micro-credits; negative ones too. */
export function readCredits(what: string, typed: string): bigint {
  const found = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/.exec(latin(typed))
  if (!found) refuseUsage(phrases.notCredits(what, typed.replace(minus, '-')))
  const [, sign, integer = '', fraction = ''] = found
  const micro = BigInt(integer) * microcreditsPerCredit + BigInt(fraction.padEnd(6, '0'))
  if (micro > maxMicrocredits) refuseUsage(phrases.tooManyCredits(what))
  return sign === '-' ? -micro : micro
}

/** Caps of an account, project or key as typed; `none` lifts a cap, and a cap that is not given stays as it is. */
export function readCaps(options: Readonly<Record<string, string>>): Caps {
  const { cap, 'monthly-cap': monthCap, rate, concurrency } = options
  return {
    ...(cap !== undefined && { cap: readCap('--cap', cap) }),
    ...(monthCap !== undefined && { monthCap: readCap('--monthly-cap', monthCap) }),
    ...(rate !== undefined && { ratePerMinute: readCount('--rate', rate) }),
    ...(concurrency !== undefined && { concurrency: readCount('--concurrency', concurrency) }),
  }
}

const maxCount = 1_000_000

/** A whole number from `min` to `max`; `none` is null. */
export function readCount(what: string, typed: string, max = maxCount, min = 1): number | null {
  if (typed.trim() === 'none') return null
  const count = Number(latin(typed.trim()))
  if (typed.trim() === '' || !Number.isInteger(count) || count < min || count > max)
    refuseUsage(phrases.notACount(what, typed, max, min))
  return count
}

/** Days for which creations are kept; null stands for the project's setting, or else the server's. */
export const readKeepDays = (typed: string | undefined): number | null | undefined =>
  typed === undefined ? undefined : readCount('--keep-days', typed, 36_500, 0)

function readCap(what: string, typed: string): bigint | null {
  if (typed.trim() === 'none') return null
  const micro = readCredits(what, typed)
  if (micro < 0n) refuseUsage(phrases.negative(what))
  return micro
}

export function readId(what: string, typed: string): string {
  if (!isUuid(typed)) refuseUsage(phrases.notAnId(what, typed))
  return typed.toLowerCase()
}

const maxNameCharacters = 120

export function readName(what: string, typed: string): string {
  const name = typed.trim()
  // The database counts characters, not UTF-16 units.
  if (name === '' || [...name].length > maxNameCharacters || /\p{Cc}/u.test(name))
    refuseUsage(phrases.badName(what, maxNameCharacters))
  return name
}

export const list = (typed: string): string[] =>
  [...new Set(typed.split(',').map((item) => item.trim()))].filter(Boolean)

const dayMs = 86_400_000
const maxExpiryMs = 100 * 365 * dayMs

/**
 * Reads `30d` or `12h` from now, a day of the Gregorian or the Jalali calendar (its first moment in Tehran), or a moment as in ISO 8601 with its
 * zone. `never` is null. Refuses a moment in the past.
 */
export function readExpiry(what: string, typed: string, nowMs: number): Date | null {
  const text = latin(typed.trim())
  if (text === 'never') return null
  const span = /^(\d{1,5})([dh])$/.exec(text)
  const atMs = span ? nowMs + Number(span[1]) * (span[2] === 'd' ? dayMs : dayMs / 24) : momentMs(text)
  if (Number.isNaN(atMs) || atMs > nowMs + maxExpiryMs) refuseUsage(phrases.notADate(what, typed))
  if (atMs <= nowMs) refuseUsage(phrases.expiryPast(what, typed))
  return new Date(atMs)
}

/** Reads `30d` or `12h` before now, a day of the Gregorian or the Jalali calendar (its first moment in Tehran), or a moment with its zone. */
export function readPast(what: string, typed: string, nowMs: number): Date {
  const text = latin(typed.trim())
  const span = /^(\d{1,5})([dh])$/.exec(text)
  const atMs = span ? nowMs - Number(span[1]) * (span[2] === 'd' ? dayMs : dayMs / 24) : momentMs(text)
  if (Number.isNaN(atMs)) refuseUsage(phrases.notAPast(what, typed))
  return new Date(atMs)
}

function momentMs(text: string): number {
  const [, year, month, date] = /^(1[2-5]\d\d)([-/]\d{1,2})([-/]\d{1,2})$/.exec(text) ?? []
  if (year !== undefined) return jalaliMs(Number(year), Number(month!.slice(1)), Number(date!.slice(1)))
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text)?.[0]
  // A day that its month does not have is refused: `Date.parse` would count it on into the next month.
  if (day === undefined || !sameDay(day)) return Number.NaN
  if (text === day) return Date.parse(`${day}T00:00:00+03:30`)
  return /T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN
}

const persian = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'Asia/Tehran',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
})

/** The first moment in Tehran of a Jalali day; NaN where the calendar does not have it. */
function jalaliMs(year: number, month: number, day: number): number {
  const days = (month - 1) * 31 - Math.max(0, month - 7) + day - 1
  // Nowruz moves by some days around 21 March.
  const guess = Date.parse(`${year + 621}-03-21T00:00:00+03:30`) + days * dayMs
  for (let at = guess - 4 * dayMs; at <= guess + 4 * dayMs; at += dayMs) {
    const parts = persian.formatToParts(at)
    const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
    if (read('year') === year && read('month') === month && read('day') === day) return at
  }
  return Number.NaN
}

function sameDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}

/** Writes credits exactly and without closing zeros: `1,234.5`, or in Persian `۱٬۲۳۴٫۵`. */
export function showCredits(micro: bigint, language: Language): string {
  const positive = micro < 0n ? -micro : micro
  const integer = (positive / microcreditsPerCredit).toLocaleString(language === 'fa' ? 'fa-IR' : 'en-US')
  const fraction = String(positive % microcreditsPerCredit)
    .padStart(6, '0')
    .replace(/(?<!0)0+$/, '')
  const point = language === 'fa' ? '٫' : '.'
  return `${micro < 0n ? minus : ''}${integer}${fraction === '' ? '' : point + digits(fraction, language)}`
}
