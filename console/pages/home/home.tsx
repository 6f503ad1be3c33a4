/** Home: what can be spent, what it was spent on, what needs attention, and the first steps of a new project. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { balanceQuery, meQuery } from '../../api/queries.ts'
import { useAccount } from '../../api/use-account.ts'
import { Card, Grid } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { reachedAt } from '../../spending/pace.ts'
import { useAccountPace } from '../../spending/use-pace.ts'
import { cleanName } from '../../words/clean-name.ts'
import { formatWeekday } from '../../words/dates.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { Actions } from './actions.tsx'
import { Attention } from './attention.tsx'
import { DaysChart } from './chart.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { homeWords } from './home.words.ts'
import { LastCalls } from './last-calls.tsx'
import { Models } from './models.tsx'
import { endingKeysQuery, needsOf, needsOfKeys } from './needs.ts'
import { useSpending } from './use-spending.ts'

export default function Home(): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const { projectId, account, may } = useAccount()
  const me = useQuery(meQuery)
  const balance = useQuery(balanceQuery(projectId))
  const spending = useSpending()
  const { pace } = useAccountPace()
  const ending = useQuery(endingKeysQuery(projectId, may('keys:read')))
  const again = (): void => {
    void balance.refetch()
    spending.refetch()
  }
  const error = balance.error ?? spending.error
  if (error && !(balance.data && spending.data)) return <ErrorState error={error} onAgain={again} />
  if (!balance.data || !spending.data) return <Skeleton lines={8} onAgain={again} />
  const { days, models } = spending.data
  const now = new Date()
  const ends = reachedAt(BigInt(balance.data.balance_microcredits), pace, now)
  const needs = [...needsOf(balance.data, ends, now), ...needsOfKeys(ending.data ?? [], now)]
  const attention = (
    <Attention
      needs={needs}
      mayRenew={may('keys:write')}
      grant={me.data?.is_operator ? `npm run kherad -- account grant ${account?.id} 1000` : undefined}
    />
  )
  const day = formatWeekday(locale, now)
  // Above the page of an account that is to be deleted stands why not all is well.
  const quiet = account?.state === 'closing' ? day : words.allWell(day)
  const lead = needs.length === 0 ? quiet : words.someNeed(day, formatNumber(locale, needs.length))
  return (
    <>
      <PageHead
        title={words.hello(`\u2068${cleanName(me.data?.display_name ?? '')}\u2069`)}
        lead={lead}
        actions={<Actions may={may} />}
      />
      <Figures
        balance={balance.data}
        today={spending.data.today}
        ends={ends}
        paces={{ account: pace, project: spending.data.recent.pace }}
      />
      {models.length === 0 ? (
        <Grid columns={needs.length > 0 ? 'wide-first' : 'one'}>
          <FirstSteps may={may} />
          {needs.length > 0 && attention}
        </Grid>
      ) : (
        <>
          <Grid columns="wide-first">
            <Card title={words.chart} action={<Link to="/usage">{words.usage}</Link>}>
              <DaysChart days={days} />
            </Card>
            {attention}
          </Grid>
          <LastCalls />
          <Models groups={models} />
        </>
      )}
    </>
  )
}
