/** Days of the Jalali (Solar Hijri) and the Gregorian calendar as whole days since 1970-01-01, each read by ICU's own tables. */
export interface CalendarDate {
  year: number
  month: number
  day: number
}

export type CalendarName = 'gregorian' | 'jalali'

interface Calendar {
  dateOf(epochDay: number): CalendarDate
  /** Undefined for a date that the calendar does not have. */
  dayOf(date: CalendarDate): number | undefined
}

const msPerDay = 86_400_000
const persian = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
})

/** The years that are supported: from the Hijra, as far as ICU's leap years are more than a guess. */
const years: Record<CalendarName, { first: number; last: number }> = {
  jalali: { first: 1, last: 1_600 },
  gregorian: { first: 623, last: 2_220 },
}

const gregorian: Calendar = {
  dateOf(epochDay) {
    const date = new Date(epochDay * msPerDay)
    return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
  },
  dayOf: (date) => exact(gregorian, Date.UTC(date.year, date.month - 1, date.day) / msPerDay, date),
}

const jalali: Calendar = {
  dateOf(epochDay) {
    const parts = persian.formatToParts(epochDay * msPerDay)
    const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
    return { year: read('year'), month: read('month'), day: read('day') }
  },
  dayOf(date) {
    // Six months of 31 days, then months of 30; whether Esfand has a thirtieth shows when the day is read back.
    const { month, day } = date
    const days = (month - 1) * 31 - Math.max(0, month - 7) + day - 1
    return exact(jalali, nowruz(date.year) + days, date)
  },
}

export const calendars: Record<CalendarName, Calendar> = { gregorian, jalali }

export const isSupportedYear = (calendar: CalendarName, { year }: Pick<CalendarDate, 'year'>): boolean =>
  year >= years[calendar].first && year <= years[calendar].last

/** The first of Farvardin, which moves by some days around 21 March. */
function nowruz(year: number): number {
  const guess = Date.UTC(year + 621, 2, 21) / msPerDay
  for (let day = guess - 5; day <= guess + 5; day += 1) {
    const date = jalali.dateOf(day)
    if (date.year === year && date.month === 1 && date.day === 1) return day
  }
  throw new RangeError(`No Nowruz of ${year} was found.`)
}

function exact(calendar: Calendar, epochDay: number, date: CalendarDate): number | undefined {
  const read = calendar.dateOf(epochDay)
  return read.year === date.year && read.month === date.month && read.day === date.day ? epochDay : undefined
}

/**
 * The day `months` months later; where that month has no such day, its last day (31 Shahrivar and one month: 30 Mehr). Undefined beyond the supported
 * years.
 */
export function addMonths(name: CalendarName, epochDay: number, months: number): number | undefined {
  const { year, month, day } = calendars[name].dateOf(epochDay)
  const index = year * 12 + month - 1 + months
  const target = { year: Math.floor(index / 12), month: (index % 12) + 1 }
  if (!isSupportedYear(name, target)) return undefined
  for (let last = day; last > 27; last -= 1) {
    const found = calendars[name].dayOf({ ...target, day: last })
    if (found !== undefined) return found
  }
  return calendars[name].dayOf({ ...target, day })
}

/** Whole years, months and days from one day to a later one, as the calendar counts them. */
export function calendarDifference(
  name: CalendarName,
  from: number,
  to: number,
): { years: number; months: number; days: number } {
  const start = calendars[name].dateOf(from)
  const end = calendars[name].dateOf(to)
  const turns = (end.year - start.year) * 12 + end.month - start.month
  const months = addMonths(name, from, turns)! > to ? turns - 1 : turns
  return { years: Math.floor(months / 12), months: months % 12, days: to - addMonths(name, from, months)! }
}

export const isLeapJalali = (year: number): boolean =>
  jalali.dayOf({ year, month: 12, day: 30 }) !== undefined

/** The day in a time zone at a moment. */
export function dayIn(timeZone: string, ms: number): number {
  const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  }).formatToParts(ms)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(read('year'), read('month') - 1, read('day')) / msPerDay
}
