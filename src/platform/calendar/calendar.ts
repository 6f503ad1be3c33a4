/**
 * Days in time zones, and the weeks and months of two calendars. A day is a text such as `2026-11-30`, whatever the calendar; instants are Unix
 * milliseconds. The rules are those of the runtime's own tables (ICU), so that one process never asks two sources.
 */
export { isTimeZone, TimeZone } from './time-zone.ts'

export type Calendar = 'jalali' | 'gregorian'
export type Interval = 'day' | 'week' | 'month' | 'total'

/** The days from `from` to `to`, both included. */
export interface DayRange {
  from: string
  to: string
}

const dayMs = 86_400_000

/** Whether the text is a real day of the years 1970 to 2199. */
export function isDay(text: string): boolean {
  if (!/^(19[7-9]|20[0-9]|21[0-9])[0-9]-[0-9]{2}-[0-9]{2}$/.test(text)) return false
  const at = Date.parse(text)
  return !Number.isNaN(at) && textOf(at) === text
}

const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export const addDays = (day: string, days: number): string => textOf(Date.parse(day) + days * dayMs)

/** How many days the range has. */
export const lengthOf = ({ from, to }: DayRange): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1

const jalaliFormat = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
})

/** A day in the Jalali calendar, whose months are 1 to 12. */
export function jalaliOf(day: string): { year: number; month: number; day: number } {
  const parts = jalaliFormat.formatToParts(Date.parse(day))
  const part = (type: 'year' | 'month' | 'day'): number =>
    Number(parts.find((one) => one.type === type)!.value)
  return { year: part('year'), month: part('month'), day: part('day') }
}

/** A day of the Jalali calendar as `1405/09/09`. */
export function jalaliText(day: string): string {
  const { year, month, day: ofMonth } = jalaliOf(day)
  return [year, ...[month, ofMonth].map((part) => String(part).padStart(2, '0'))].join('/')
}

/** The first day of the month in which the day lies. */
export const monthStart = (day: string, calendar: Calendar): string =>
  calendar === 'gregorian' ? `${day.slice(0, 8)}01` : addDays(day, 1 - jalaliOf(day).day)

/** The Saturday with which the week of the day begins. */
const weekStart = (day: string): string => addDays(day, -((new Date(day).getUTCDay() + 1) % 7))

/** The first day after the week or month that begins so. A month has 28 to 31 days in both calendars. */
const nextStart = (start: string, interval: 'week' | 'month', calendar: Calendar): string =>
  interval === 'week' ? addDays(start, 7) : monthStart(addDays(start, 32), calendar)

/** The days, weeks or months of which the range has a part, cut to it, oldest first; `total` is the range itself. Weeks begin on Saturday. */
export function periodsOf(
  { from, to }: DayRange,
  { interval, calendar }: { interval: Interval; calendar: Calendar },
): DayRange[] {
  if (interval === 'total') return [{ from, to }]
  const periods: DayRange[] = []
  let start = from
  while (start <= to) {
    const next = interval === 'day' ? addDays(start, 1) : endOf(start, interval, calendar)
    const last = addDays(next, -1)
    periods.push({ from: start, to: last < to ? last : to })
    start = next
  }
  return periods
}

function endOf(day: string, interval: 'week' | 'month', calendar: Calendar): string {
  const start = interval === 'week' ? weekStart(day) : monthStart(day, calendar)
  return nextStart(start, interval, calendar)
}
