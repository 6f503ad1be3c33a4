import { useQuery } from '@tanstack/react-query'
import { dayInZone, type IsoDay } from '../words/tehran-days.ts'
import { type AccountOf, accountQuery } from './account.ts'
import { useAccount } from './use-account.ts'

export interface Today {
  account: AccountOf
  /** The zone in which days of usage begin and end: that of the account, or Tehran where this browser does not know it. */
  timeZone: string
  day: IsoDay
}

interface TodayQuery {
  data: Today | undefined
  error: Error | null
  refetch(): void
}

/** The day of today in the zone of the account. */
export function useToday(): TodayQuery {
  const { projectId } = useAccount()
  const { data, error, refetch } = useQuery(accountQuery(projectId))
  return {
    data: data && { account: data, ...dayOf(data.time_zone) },
    error,
    refetch: () => void refetch(),
  }
}

function dayOf(timeZone: string): { timeZone: string; day: IsoDay } {
  const now = new Date()
  try {
    return { timeZone, day: dayInZone(now, timeZone) }
  } catch {
    return { timeZone: 'Asia/Tehran', day: dayInZone(now, 'Asia/Tehran') }
  }
}
