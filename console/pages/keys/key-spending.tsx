import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usageQuery } from '../../api/usage.ts'
import { useAccount } from '../../api/use-account.ts'
import { Card, Note } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { useWords } from '../../words/use-words.ts'
import { Chart } from '../home/chart.tsx'
import { daysUpTo } from '../home/spending.ts'
import { oneKeyWords } from './one-key.words.ts'
import type { Key } from './settings.ts'

const shownDays = 14

/** What was spent with a key, day by day. */
export function KeySpending({ of }: { of: Key }): ReactNode {
  const words = useWords(oneKeyWords)
  const { projectId } = useAccount()
  const usage = useQuery(usageQuery(projectId))
  if (usage.error && !usage.data)
    return <ErrorState error={usage.error} onAgain={() => void usage.refetch()} />
  if (!usage.data) return <Skeleton lines={4} onAgain={() => void usage.refetch()} />
  const days = daysUpTo(
    usage.data.rows.filter(({ key_id }) => key_id === of.id),
    usage.data.today,
    shownDays,
  )
  return (
    <Card title={words.chart}>
      {days.some(({ requests }) => requests > 0) ? <Chart days={days} /> : <Note>{words.noSpending}</Note>}
    </Card>
  )
}
