import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { useToday } from '../../api/use-today.ts'
import { Card, Note } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { accountUsageQuery, daysOf, daysUpTo } from '../../spending/usage.ts'
import { addDays } from '../../words/tehran-days.ts'
import { useWords } from '../../words/use-words.ts'
import { DaysChart } from '../home/chart.tsx'
import { oneKeyWords } from './one-key.words.ts'
import type { Key } from './settings.ts'

const shownDays = 14

/** What was spent with a key, day by day. */
export function KeySpending({ of }: { of: Key }): ReactNode {
  const words = useWords(oneKeyWords)
  const { projectId } = useAccount()
  const today = useToday()
  const usage = useQuery(
    accountUsageQuery(
      projectId,
      today.data && {
        interval: 'day',
        key_id: of.id,
        time_zone: today.data.timeZone,
        from: addDays(today.data.day, 1 - shownDays),
        to: today.data.day,
      },
    ),
  )
  const again = (): void => {
    today.refetch()
    void usage.refetch()
  }
  const error = today.error ?? usage.error
  if (error && !usage.data) return <ErrorState error={error} onAgain={again} />
  if (!today.data || !usage.data) return <Skeleton lines={4} onAgain={again} />
  const days = daysUpTo(daysOf(usage.data.data), today.data.day, shownDays)
  return (
    <Card
      title={words.chart}
      action={
        <Link to="/requests" search={{ key: of.id }}>
          {words.requests}
        </Link>
      }
    >
      {days.some(({ requests }) => requests > 0) ? (
        <DaysChart days={days} />
      ) : (
        <Note>{words.noSpending}</Note>
      )}
    </Card>
  )
}
