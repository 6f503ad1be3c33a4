import { useQuery } from '@tanstack/react-query'
import { useAccount } from '../../api/use-account.ts'
import type { Today } from '../../api/use-today.ts'
import { accountUsageQuery } from '../../spending/usage.ts'
import { calendarOf, type DayRange } from '../../words/ranges.ts'
import { useLocale } from '../../words/use-words.ts'
import { type Filters, queryOf, type View } from './filters.ts'
import { labelOf } from './groups.ts'

interface PickedName {
  dimension: keyof Filters
  name: string
}

/** What is picked, by the names that people know: those of a key and of a member stand in their own sums. */
export function usePickedNames(view: View, range: DayRange | undefined, { timeZone }: Today): PickedName[] {
  const { projectId } = useAccount()
  const calendar = calendarOf(useLocale())
  const named = (['key', 'person'] as const).filter((dimension) => view.filters[dimension] !== undefined)
  const sums = useQuery(
    accountUsageQuery(
      projectId,
      projectId !== undefined && range && named.length > 0
        ? {
            ...{ from: range.from, to: range.to, time_zone: timeZone, calendar },
            ...queryOf(view, projectId),
            group_by: named.join(','),
            limit: 1,
          }
        : undefined,
    ),
  )
  const [row] = sums.data?.data ?? []
  const nameOf = (dimension: keyof Filters, value: string): string => {
    const found = row && named.some((one) => one === dimension) ? labelOf(row, dimension, []).name : undefined
    return found || (dimension === 'key' || dimension === 'person' ? `${value.slice(0, 8)}…` : value)
  }
  return Object.entries(view.filters).map(([dimension, value]) => ({
    dimension: dimension as keyof Filters,
    name: nameOf(dimension as keyof Filters, value),
  }))
}
