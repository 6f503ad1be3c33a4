import { useRangeWords } from '../../pieces/range-field.tsx'
import { periodsOf } from '../../spending/periods.ts'
import type { Sum } from '../../spending/sums.ts'
import type { AccountUsage } from '../../spending/usage.ts'
import { calendarOf, type DayRange, monthOf } from '../../words/ranges.ts'
import { useLocale } from '../../words/use-words.ts'
import { sumIn } from './groups.ts'
import type { Shown } from './use-usage.ts'

export interface Period extends DayRange {
  title: string
  all: Sum
  filtered: Sum
  /** Of the period at the same place in the range before; undefined where that is shorter, or nothing is compared. */
  before: Sum | undefined
}

const nothing: Sum = { requests: 0, failures: 0, microcredits: 0n, tokens: 0 }

/** The days, weeks or months of what is shown, the oldest first; those without calls are there with zeros. */
export function usePeriods({ asked, usage, today }: Shown): Period[] {
  const calendar = calendarOf(useLocale())
  const rangeWords = useRangeWords()
  const { range, comparison, interval } = asked
  const beforePeriods = comparison ? periodsOf(comparison, interval, calendar) : []
  const [all, filtered, before] = [usage.all, usage.filtered, usage.before].map(sumsByDay)
  return periodsOf(range, interval, calendar).map((period, at) => {
    const then = beforePeriods[at]
    return {
      ...period,
      title: rangeWords(period, today.day),
      all: all!.get(period.from) ?? nothing,
      filtered: filtered!.get(period.from) ?? nothing,
      before: then && (before!.get(then.from) ?? nothing),
    }
  })
}

/** The days of the month that are still to come, so that its chart is as wide on its first day as on its last. */
export function useToCome({
  asked,
  chosen,
  today,
}: Shown): { key: string; title: string; value: undefined }[] {
  const calendar = calendarOf(useLocale())
  const rangeWords = useRangeWords()
  const month = monthOf(calendar, today.day)
  if (asked.interval !== 'day' || chosen.from !== month.from || chosen.to !== month.to) return []
  return periodsOf(chosen, 'day', calendar)
    .filter(({ from }) => from > today.day)
    .map((day) => ({ key: day.from, title: rangeWords(day, today.day), value: undefined }))
}

/** By the first day of a period, which is cut where the range is. */
const sumsByDay = (usage: AccountUsage | undefined): ReadonlyMap<string, Sum> =>
  new Map(usage?.data.map((row) => [row.from, sumIn(row)]))
