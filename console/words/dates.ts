/** Dates and times as people read them: Jalali in Persian, Gregorian in English. */
import type { Locale } from './locale.ts'

type Shape = 'clock' | 'day' | 'year' | 'weekday'

const shapes: Record<Shape, Intl.DateTimeFormatOptions> = {
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'long' },
  year: { day: 'numeric', month: 'long', year: 'numeric' },
  weekday: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(locale: Locale, shape: Shape, timeZone = 'Asia/Tehran'): Intl.DateTimeFormat {
  const name = `${locale} ${shape} ${timeZone}`
  const known = formats.get(name)
  if (known) return known
  const made = new Intl.DateTimeFormat(locale === 'fa' ? 'fa-IR' : 'en-GB', {
    ...shapes[shape],
    timeZone,
  })
  formats.set(name, made)
  return made
}

export interface DateOptions {
  /** An IANA name; Tehran where absent, where days of usage and months of caps begin and end. */
  timeZone?: string | undefined
}

/** The day of a moment in words, such as `یکشنبه ۸ آذر ۱۴۰۵`. The order is that of the language, which Intl does not keep where it has all parts. */
export function formatWeekday(locale: Locale, moment: Date, { timeZone }: DateOptions = {}): string {
  const parts = formatOf(locale, 'weekday', timeZone).formatToParts(moment)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return locale === 'fa'
    ? `${part('weekday')} ${part('day')} ${part('month')} ${part('year')}`
    : `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}`
}

export const formatClock = (locale: Locale, moment: Date, { timeZone }: DateOptions = {}): string =>
  formatOf(locale, 'clock', timeZone).format(moment)

/** The day without a weekday; the year is said only where it is not this one. */
export function formatDay(locale: Locale, moment: Date, now: Date, { timeZone }: DateOptions = {}): string {
  const year = (one: Date): string | undefined =>
    formatOf(locale, 'year', timeZone)
      .formatToParts(one)
      .find(({ type }) => type === 'year')?.value
  return formatOf(locale, year(moment) === year(now) ? 'day' : 'year', timeZone).format(moment)
}

/** A moment of today is a clock, an older one or a later one is a day. */
export function formatMoment(locale: Locale, moment: Date, now: Date, options: DateOptions = {}): string {
  const day = (one: Date): string => formatOf(locale, 'year', options.timeZone).format(one)
  return day(moment) === day(now)
    ? formatClock(locale, moment, options)
    : formatDay(locale, moment, now, options)
}

/** The whole moment, for hovering and for screen readers. */
export const formatFull = (locale: Locale, moment: Date, options: DateOptions = {}): string =>
  [formatWeekday(locale, moment, options), formatClock(locale, moment, options)].join(
    locale === 'fa' ? '، ' : ', ',
  )
