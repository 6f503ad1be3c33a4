import { useQuery } from '@tanstack/react-query'
import { useAccount } from '../../api/use-account.ts'
import type { Today } from '../../api/use-today.ts'
import type { Interval } from '../../spending/names.ts'
import { type Comparison, comparisonOf, upTo, usualInterval } from '../../spending/periods.ts'
import { type AccountUsage, accountUsageQuery, type UsageQuery } from '../../spending/usage.ts'
import { calendarOf, type DayRange } from '../../words/ranges.ts'
import { useLocale } from '../../words/use-words.ts'
import { isFiltered, queryOf, type View } from './filters.ts'

/** What is asked of the API, and for which days. */
export interface Asked {
  /** Up to today; undefined where the range has not begun. */
  range: DayRange | undefined
  /** Undefined where nothing is compared. */
  comparison: Comparison | undefined
  interval: Interval
}

export interface Usage {
  /** By the interval, without the filters of groups. */
  all: AccountUsage
  /** The same with them; `all` where there are none. */
  filtered: AccountUsage
  /** The range before, with the filters; undefined where nothing is compared. */
  before: AccountUsage | undefined
  /** By the dimension that divides, the dearest first, with the filters of all other dimensions; undefined where time divides. */
  groups: AccountUsage | undefined
  groupsBefore: AccountUsage | undefined
}

/** What the page shows: sums, and what they are of. */
export interface Shown {
  view: View
  /** The days that were chosen, with those that are still to come. */
  chosen: DayRange
  asked: Asked & { range: DayRange }
  usage: Usage
  today: Today
}

interface Query<Data> {
  data: Data | undefined
  error: Error | null
  refetch(): void
}

/** The days before which the API counts nothing. */
const earliest = '1970-01-01'

export function askedOf(
  view: View,
  chosen: DayRange,
  today: string,
  calendar: ReturnType<typeof calendarOf>,
): Asked {
  const range = upTo(today, chosen)
  const comparison = comparisonOf(chosen, today, calendar)
  return {
    range,
    comparison: range && view.isCompared && comparison.from >= earliest ? comparison : undefined,
    interval: view.interval ?? usualInterval(range ?? chosen),
  }
}

/** All that the page shows of a range. */
export function useUsage(
  view: View,
  { range, comparison, interval }: Asked,
  { timeZone }: Today,
): Query<Usage> {
  const { projectId } = useAccount()
  const calendar = calendarOf(useLocale())
  const days = ({ from, to }: DayRange): UsageQuery => ({ from, to, time_zone: timeZone, calendar })
  const periods = (of: DayRange, without?: 'filters'): UsageQuery => {
    const { project_id, ...filters } = queryOf(view, projectId!)
    return { ...days(of), interval, project_id, ...(without === undefined && filters) }
  }
  const split = view.split === 'time' ? undefined : view.split
  const divided = (of: DayRange): UsageQuery => ({
    ...days(of),
    ...queryOf(view, projectId!, split),
    group_by: split!,
    order: 'cost',
  })
  const useSums = (query: UsageQuery | undefined) => useQuery(accountUsageQuery(projectId, query))
  const has = projectId !== undefined && range !== undefined
  const hasFilters = isFiltered(view)
  const all = useSums(has ? periods(range, 'filters') : undefined)
  const filtered = useSums(has && hasFilters ? periods(range) : undefined)
  const before = useSums(has && comparison ? periods(comparison) : undefined)
  const groups = useSums(has && split ? divided(range) : undefined)
  const groupsBefore = useSums(has && split && comparison ? divided(comparison) : undefined)
  const asked = [
    all,
    ...(hasFilters ? [filtered] : []),
    ...(comparison ? [before] : []),
    ...(split ? [groups] : []),
    ...(split && comparison ? [groupsBefore] : []),
  ]
  const isThere = asked.every(({ data }) => data !== undefined)
  return {
    data:
      isThere && all.data
        ? {
            all: all.data,
            filtered: (hasFilters && filtered.data) || all.data,
            before: comparison && before.data,
            groups: split && groups.data,
            groupsBefore: split && comparison && groupsBefore.data,
          }
        : undefined,
    error: asked.find(({ error }) => error)?.error ?? null,
    refetch: () => {
      for (const one of asked) void one.refetch()
    },
  }
}
