/** Home: what can be spent, what it was spent on, what needs attention, and the first steps of a new project. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useSyncExternalStore } from 'react'
import { call } from '../../api/client.ts'
import { project, subscribeProject } from '../../api/project.ts'
import { balanceQuery, meQuery } from '../../api/queries.ts'
import { Card, Grid } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatWeekday } from '../../words/dates.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { Attention, needsOf } from './attention.tsx'
import { Chart } from './chart.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { homeWords } from './home.words.ts'
import { Models } from './models.tsx'
import { daysLeft, daysUpTo, type UsageRow } from './spending.ts'

/** So many pages of usage are read: 3,000 rows say enough of a month for this page. */
const maxPages = 3

async function readUsage(): Promise<{ rows: UsageRow[]; today: string }> {
  const rows: UsageRow[] = []
  let today = ''
  let after: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const report = await call('GET /v1/usage', {
      query: { limit: 1_000, ...(after !== undefined && { after }) },
    })
    rows.push(...report.data)
    today = report.to
    if (!report.has_more || report.next_after === null) break
    after = report.next_after
  }
  return { rows, today }
}

export default function Home(): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const projectId = useSyncExternalStore(subscribeProject, project)
  const me = useQuery(meQuery)
  const balance = useQuery(balanceQuery(projectId))
  const usage = useQuery({
    queryKey: ['usage', projectId],
    queryFn: readUsage,
    enabled: projectId !== undefined,
  })
  const again = (): void => {
    void balance.refetch()
    void usage.refetch()
  }
  const error = balance.error ?? usage.error
  if (error && !(balance.data && usage.data)) return <ErrorState error={error} onAgain={again} />
  if (!balance.data || !usage.data) return <Skeleton lines={8} onAgain={again} />
  const { rows, today } = usage.data
  const days = daysUpTo(rows, today, 14)
  const left = daysLeft(days, BigInt(balance.data.balance_microcredits))
  const needs = needsOf(balance.data, left)
  const day = formatWeekday(locale, new Date())
  return (
    <>
      <PageHead
        title={words.hello(`\u2068${cleanName(me.data?.display_name ?? '')}\u2069`)}
        lead={
          needs.length === 0 ? words.allWell(day) : words.someNeed(day, formatNumber(locale, needs.length))
        }
      />
      <Figures balance={balance.data} today={days.at(-1)} daysLeft={left} />
      {rows.length === 0 ? (
        <FirstSteps />
      ) : (
        <>
          <Grid columns="wide-first">
            <Card title={words.chart}>
              <Chart days={days} />
            </Card>
            <Attention needs={needs} />
          </Grid>
          <Models rows={rows} />
        </>
      )}
    </>
  )
}
