/** Ranges of days as people choose them, by the months of their calendar. */
import type { Locale } from './locale.ts'
import { addDays, type CalendarDay, type IsoDay, jalaliDay, readDay } from './tehran-days.ts'

/** Two days, both included. */
export interface DayRange {
  from: IsoDay
  to: IsoDay
}

export type Calendar = 'jalali' | 'gregorian'

/** The calendar in which people of the language count months. */
export const calendarOf = (locale: Locale): Calendar => (locale === 'fa' ? 'jalali' : 'gregorian')

/** A day by its year, its month and its place in the month. */
export function calendarDay(calendar: Calendar, day: IsoDay): CalendarDay {
  if (calendar === 'jalali') return jalaliDay(day)
  const [year, month, ofMonth] = day.split('-').map(Number) as [number, number, number]
  return { year, month, day: ofMonth }
}

/** The whole month of a day, of 28 to 31 days. */
export function monthOf(calendar: Calendar, day: IsoDay): DayRange {
  const from = addDays(day, 1 - calendarDay(calendar, day).day)
  // The day after 31 others is in the next month, whatever the length of this one.
  const inNext = addDays(from, 31)
  return { from, to: addDays(inNext, -calendarDay(calendar, inNext).day) }
}

/** How many days a range has. */
export const daysOf = ({ from, to }: DayRange): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1

export const rangeNames = ['today', 'week', 'month', 'monthBefore', 'thirty'] as const
export type RangeName = (typeof rangeNames)[number]

/** The days that a name means today. A month is whole, with the days that are still to come. */
export function rangeOf(name: RangeName, today: IsoDay, calendar: Calendar): DayRange {
  if (name === 'today') return { from: today, to: today }
  if (name === 'week') return { from: addDays(today, -6), to: today }
  if (name === 'thirty') return { from: addDays(today, -29), to: today }
  const month = monthOf(calendar, today)
  return name === 'month' ? month : monthOf(calendar, addDays(month.from, -1))
}

/** The name that means these days today; undefined where none does. */
export const rangeNameOf = (range: DayRange, today: IsoDay, calendar: Calendar): RangeName | undefined =>
  rangeNames.find((name) => {
    const { from, to } = rangeOf(name, today, calendar)
    return range.from === from && range.to === to
  })

/** Reads two days such as `2026-11-22` as they stand in an address; undefined where one is none, or they stand the wrong way round. */
export function readRange(from: string, to: string): DayRange | undefined {
  const isDay = (text: string): boolean => readDay(text) === text
  return isDay(from) && isDay(to) && from <= to ? { from, to } : undefined
}
