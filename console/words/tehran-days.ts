/** Days as people write them, Jalali or Gregorian, and the moment at which such a day ends in Tehran. */
import { latinDigits } from './digits.ts'
import type { Locale } from './locale.ts'

const dayMs = 86_400_000
/** Iran has had no summer time since 1401 (2022), so a day of the future ends at one offset. */
const tehranOffset = '+03:30'

/** A Gregorian day such as `2027-02-27`. */
export type IsoDay = string

const iso = (utcMs: number): IsoDay => new Date(utcMs).toISOString().slice(0, 10)

let jalali: Intl.DateTimeFormat | undefined

/** Made when a Jalali day is first read or written: formats cost a browser up to 20 ms, and most pages load this file without a day of it. */
function jalaliFormat(): Intl.DateTimeFormat {
  jalali ??= new Intl.DateTimeFormat('en-US-u-ca-persian-nu-latn', {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  })
  return jalali
}

export interface CalendarDay {
  year: number
  month: number
  day: number
}

function jalaliOf(utcMs: number): CalendarDay {
  const parts = jalaliFormat().formatToParts(utcMs)
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value)
  return { year: part('year'), month: part('month'), day: part('day') }
}

/** A day in the Jalali calendar. */
export const jalaliDay = (day: IsoDay): CalendarDay => jalaliOf(Date.parse(`${day}T12:00:00Z`))

/** Nowruz is on one of 19 to 22 March in all years that a key may end in. The first six months have 31 days, the next ones 30. */
function fromJalali({ year, month, day }: CalendarDay): IsoDay | undefined {
  const before = month <= 7 ? (month - 1) * 31 : 186 + (month - 7) * 30
  const aboutMs = Date.UTC(year + 621, 2, 20) + (before + day - 1) * dayMs
  return [-1, 0, 1, 2]
    .map((days) => aboutMs + days * dayMs)
    .filter((utcMs) => {
      const found = jalaliOf(utcMs)
      return found.year === year && found.month === month && found.day === day
    })
    .map(iso)[0]
}

function fromGregorian({ year, month, day }: CalendarDay): IsoDay | undefined {
  const utcMs = Date.UTC(year, month - 1, day)
  const found = iso(utcMs)
  return found === `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}` ? found : undefined
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0')

/**
 * A day as a person types it: `۱۴۰۵/۱۲/۰۸`, `1405-12-8`, `2027.02.27`, in Persian, Arabic or Latin digits. Years from 1300 to 1599 are Jalali, those
 * from 1900 Gregorian, whatever the language. Undefined where it is no day, such as the 30th of Esfand of a year that is no leap year.
 */
export function readDay(text: string): IsoDay | undefined {
  const plain = latinDigits(text).replace(/[\u200c-\u200f\u061c\u2066-\u2069\s]/g, '')
  const match = /^(\d{4})[/.\-٫](\d{1,2})[/.\-٫](\d{1,2})$/.exec(plain)
  if (!match) return undefined
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  if (year >= 1300 && year < 1600) return fromJalali({ year, month, day })
  return year >= 1900 && year < 2200 ? fromGregorian({ year, month, day }) : undefined
}

/** The day as people of the language type it, in their digits: `۱۴۰۵/۱۲/۰۸` or `2027-02-27`. */
export function writeDay(locale: Locale, day: IsoDay): string {
  if (locale === 'en') return day
  const { year, month, day: ofMonth } = jalaliDay(day)
  return `${pad(year, 4)}/${pad(month, 2)}/${pad(ofMonth, 2)}`.replace(/\d/g, (digit) =>
    String.fromCodePoint(0x06f0 + Number(digit)),
  )
}

const dayFormats = new Map<string, Intl.DateTimeFormat>()

/** The day of a moment in a zone by its IANA name. Throws RangeError for a zone that the browser does not know. */
export function dayInZone(moment: Date, timeZone: string): IsoDay {
  const known = dayFormats.get(timeZone)
  const format = known ?? new Intl.DateTimeFormat('en-CA', { timeZone })
  if (!known) dayFormats.set(timeZone, format)
  return format.format(moment)
}

/** The day of a moment in Tehran. */
export const dayInTehran = (moment: Date): IsoDay => dayInZone(moment, 'Asia/Tehran')

export const addDays = (day: IsoDay, days: number): IsoDay =>
  iso(Date.parse(`${day}T00:00:00Z`) + days * dayMs)

/** The last second of a day in Tehran, as the API takes it. */
export const endOfDay = (day: IsoDay): string => `${day}T23:59:59${tehranOffset}`
