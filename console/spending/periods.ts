/** Days, weeks and months of a range, and the range with which another one is compared. */
import { type Calendar, calendarDay, type DayRange, daysOf, monthOf } from '../words/ranges.ts'
import { addDays, type IsoDay } from '../words/tehran-days.ts'
import { type ComparisonKind, type Interval, intervals } from './names.ts'

/** More bars than these cannot be told from each other on a phone. */
const maxBars = 130

/** The intervals in which a range can be drawn. */
export const intervalsFor = (range: DayRange): readonly Interval[] =>
  intervals.filter(
    (interval) => interval === 'month' || daysOf(range) / (interval === 'day' ? 1 : 7) <= maxBars,
  )

/** The interval of a range of which nobody has said it: some ten to sixty bars. */
export function usualInterval(range: DayRange): Interval {
  const days = daysOf(range)
  return days <= 62 ? 'day' : days <= 400 ? 'week' : 'month'
}

const first = (one: IsoDay, other: IsoDay): IsoDay => (one < other ? one : other)

/** The last day of the week or month that a day is in; weeks begin on Saturday. */
function endOf(interval: Interval, calendar: Calendar, day: IsoDay): IsoDay {
  if (interval === 'day') return day
  if (interval === 'month') return monthOf(calendar, day).to
  const sinceSaturday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 1) % 7
  return addDays(day, 6 - sinceSaturday)
}

/** The days, weeks or months of a range, the oldest first; those at its ends are cut where the range is. */
export function periodsOf(range: DayRange, interval: Interval, calendar: Calendar): DayRange[] {
  const periods: DayRange[] = []
  for (let from = range.from; from <= range.to; ) {
    const to = first(endOf(interval, calendar, from), range.to)
    periods.push({ from, to })
    from = addDays(to, 1)
  }
  return periods
}

/** A range up to today; undefined where it has not begun. */
export const upTo = (today: IsoDay, { from, to }: DayRange): DayRange | undefined =>
  from > today ? undefined : { from, to: first(to, today) }

export interface Comparison extends DayRange {
  kind: ComparisonKind
}

/**
 * With what a range is compared: a whole month with the month before; a month that is not over with as many days of the month before, or with all of that
 * where it is shorter; other days with as many right before them; days to come do not count.
 */
export function comparisonOf(range: DayRange, today: IsoDay, calendar: Calendar): Comparison {
  const month = monthOf(calendar, range.from)
  const isMonth = month.from === range.from && month.to === range.to
  const before = monthOf(calendar, addDays(month.from, -1))
  if (isMonth && range.to > today) {
    const { day } = calendarDay(calendar, today)
    return { from: before.from, to: first(addDays(before.from, day - 1), before.to), kind: 'monthSoFar' }
  }
  if (isMonth) return { ...before, kind: 'month' }
  const length = daysOf(upTo(today, range) ?? range)
  return { from: addDays(range.from, -length), to: addDays(range.from, -1), kind: 'days' }
}
