import { useQuery } from '@tanstack/react-query'
import { useAccount } from '../../api/use-account.ts'
import { type Today, useToday } from '../../api/use-today.ts'
import type { Group } from '../../spending/sums.ts'
import { accountUsageQuery, type Day, daysUpTo, type UsageQuery } from '../../spending/usage.ts'
import { type Recent, useRecent } from '../../spending/use-pace.ts'
import { addDays } from '../../words/tehran-days.ts'
import { allSums, isOfCalls, modelGroups } from './spending.ts'

const chartDays = 14
const modelDays = 30

interface Spending {
  /** The days of the chart, the last of which is today. */
  days: readonly Day[]
  today: Pick<Day, 'requests' | 'failures' | 'microcredits'>
  /** By model, of 30 days, without what costs nothing and names no model. */
  models: readonly Group[]
  /** Of the project, from which its caps are told. */
  recent: Recent
}

interface SpendingQuery {
  data: Spending | undefined
  error: Error | null
  refetch(): void
}

const byModel = (projectId: string, { day, timeZone }: Today, days: number): UsageQuery => ({
  project_id: projectId,
  group_by: 'model',
  order: 'cost',
  time_zone: timeZone,
  from: addDays(day, 1 - days),
  to: day,
})

/** What the project has spent lately, day by day and by model. */
export function useSpending(): SpendingQuery {
  const { projectId } = useAccount()
  const today = useToday()
  const queryOf = (days: number): UsageQuery | undefined =>
    projectId !== undefined && today.data ? byModel(projectId, today.data, days) : undefined
  const recent = useRecent(projectId)
  const models = useQuery(accountUsageQuery(projectId, queryOf(modelDays)))
  const ofToday = useQuery(accountUsageQuery(projectId, queryOf(1)))
  const data =
    today.data && recent.data && models.data && ofToday.data
      ? {
          days: daysUpTo(recent.data.days, today.data.day, chartDays),
          today: allSums(ofToday.data.data),
          models: modelGroups(models.data.data.filter(isOfCalls)),
          recent: recent.data,
        }
      : undefined
  return {
    data,
    error: recent.error ?? models.error ?? ofToday.error,
    refetch: () => {
      recent.refetch()
      void models.refetch()
      void ofToday.refetch()
    },
  }
}
