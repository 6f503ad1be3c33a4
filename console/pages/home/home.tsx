/** Home: what can be spent, what it was spent on, what needs attention, and the first steps of a new project. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { balanceQuery, meQuery } from '../../api/queries.ts'
import { usageQuery } from '../../api/usage.ts'
import { useAccount } from '../../api/use-account.ts'
import { Card, Grid } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatWeekday } from '../../words/dates.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { Actions } from './actions.tsx'
import { Attention } from './attention.tsx'
import { Chart } from './chart.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { homeWords } from './home.words.ts'
import { Models } from './models.tsx'
import { endingKeysQuery, needsOf, needsOfKeys } from './needs.ts'
import { daysLeft, daysUpTo, isOfCalls } from './spending.ts'

export default function Home(): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const { projectId, account, may } = useAccount()
  const me = useQuery(meQuery)
  const balance = useQuery(balanceQuery(projectId))
  const usage = useQuery(usageQuery(projectId))
  const ending = useQuery(endingKeysQuery(projectId, may('keys:read')))
  const again = (): void => {
    void balance.refetch()
    void usage.refetch()
  }
  const error = balance.error ?? usage.error
  if (error && !(balance.data && usage.data)) return <ErrorState error={error} onAgain={again} />
  if (!balance.data || !usage.data) return <Skeleton lines={8} onAgain={again} />
  const { today } = usage.data
  const rows = usage.data.rows.filter(isOfCalls)
  const days = daysUpTo(rows, today, 14)
  const left = daysLeft(days, BigInt(balance.data.balance_microcredits))
  const needs = [...needsOf(balance.data, left), ...needsOfKeys(ending.data ?? [], new Date())]
  const attention = (
    <Attention
      needs={needs}
      mayRenew={may('keys:write')}
      grant={me.data?.is_operator ? `npm run kherad -- account grant ${account?.id} 1000` : undefined}
    />
  )
  const day = formatWeekday(locale, new Date())
  return (
    <>
      <PageHead
        title={words.hello(`\u2068${cleanName(me.data?.display_name ?? '')}\u2069`)}
        lead={
          needs.length === 0 ? words.allWell(day) : words.someNeed(day, formatNumber(locale, needs.length))
        }
        actions={<Actions may={may} />}
      />
      <Figures balance={balance.data} today={days.at(-1)} daysLeft={left} />
      {rows.length === 0 ? (
        <Grid columns={needs.length > 0 ? 'wide-first' : 'one'}>
          <FirstSteps may={may} />
          {needs.length > 0 && attention}
        </Grid>
      ) : (
        <>
          <Grid columns="wide-first">
            <Card title={words.chart}>
              <Chart days={days} />
            </Card>
            {attention}
          </Grid>
          <Models rows={rows} isCut={usage.data.isCut} />
        </>
      )}
    </>
  )
}
