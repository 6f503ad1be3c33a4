import { useQuery } from '@tanstack/react-query'
import { useAccount } from '../api/use-account.ts'
import { type Today, useToday } from '../api/use-today.ts'
import { calendarOf } from '../words/ranges.ts'
import { dayInZone } from '../words/tehran-days.ts'
import { useLocale } from '../words/use-words.ts'
import { type Pace, paceOf } from './pace.ts'
import { accountUsageQuery, type Day, daysOf, recentDays } from './usage.ts'

export interface Recent {
  /** The days of this month and of the last two weeks in which there were calls. */
  days: readonly Day[]
  pace: Pace | undefined
}

interface RecentQuery {
  data: Recent | undefined
  error: Error | null
  refetch(): void
}

/** What the last days have cost in a project or, as `all`, in every project that the person may see, and the pace of it. */
export function useRecent(scope: string | undefined): RecentQuery {
  const { projectId } = useAccount()
  const today = useToday()
  const calendar = calendarOf(useLocale())
  const query = today.data && scope !== undefined ? recentDays(scope, today.data, calendar) : undefined
  const usage = useQuery(accountUsageQuery(projectId, query))
  const days = usage.data && daysOf(usage.data.data)
  return {
    data: days && today.data ? { days, pace: paceOf(days, today.data.day, spanOf(today.data)) } : undefined,
    error: today.error ?? usage.error,
    refetch: () => {
      today.refetch()
      void usage.refetch()
    },
  }
}

const spanOf = ({ account, timeZone }: Today) => ({
  opened: dayInZone(new Date(account.created_at), timeZone),
  isClosing: account.state === 'closing',
})

/** The pace of the whole account; undefined for whoever sees only some of its projects, and so only some of its spending. */
export function useAccountPace(): { pace: Pace | undefined; recent: RecentQuery } {
  const { account } = useAccount()
  const recent = useRecent('all')
  return { pace: account?.is_limited ? undefined : recent.data?.pace, recent }
}
