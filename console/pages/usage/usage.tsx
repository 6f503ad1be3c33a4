/** Usage: where the credit of a range of days went, how fast it is spent, and until when it lasts. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { type Today, useToday } from '../../api/use-today.ts'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { pages } from '../../shell/pages.ts'
import { useAddress } from '../../shell/use-address.ts'
import { useRange } from '../../shell/use-range.ts'
import { calendarOf, rangeOf } from '../../words/ranges.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { Breakdown } from './breakdown.tsx'
import { ChartCard } from './chart-card.tsx'
import { Figures } from './figures.tsx'
import { FilterBar } from './filter-bar.tsx'
import { isFiltered, noFilters, readView, requestsSearch } from './filters.ts'
import styles from './usage.module.css'
import { usageWords } from './usage.words.ts'
import { askedOf, type Shown, useUsage } from './use-usage.ts'

export default function UsagePage(): ReactNode {
  const words = useWords(usageWords)
  const { projectId } = useAccount()
  const today = useToday()
  // What is shown of one account never stands under the name of another.
  if (today.data) return <Page key={projectId} today={today.data} />
  return (
    <>
      <PageHead title={words.title} lead={words.lead} />
      {today.error ? (
        <ErrorState error={today.error} onAgain={today.refetch} />
      ) : (
        <Skeleton lines={8} onAgain={today.refetch} />
      )}
    </>
  )
}

function Page({ today }: { today: Today }): ReactNode {
  const words = useWords(usageWords)
  const { read } = useAddress()
  const calendar = calendarOf(useLocale())
  const { range } = useRange('month', today.timeZone)
  const view = readView(read)
  const chosen = range ?? rangeOf('month', today.day, calendar)
  const asked = askedOf(view, chosen, today.day, calendar)
  const usage = useUsage(view, asked, today)
  // While other sums are read the former ones stay, with what they are of.
  const former = useRef<Shown>(undefined)
  if (usage.data && asked.range)
    former.current = { view, chosen, asked: { ...asked, range: asked.range }, usage: usage.data, today }
  const hasRequests = pages.some(({ path }) => path === '/requests')
  return (
    <>
      <PageHead
        title={words.title}
        lead={words.lead}
        actions={
          hasRequests && (
            <Link to="/requests" search={requestsSearch(view, chosen)} className={buttonClass('plain')}>
              {words.requestsPage}
            </Link>
          )
        }
      />
      <FilterBar view={view} range={chosen} asked={asked} today={today} />
      {asked.range === undefined ? (
        <Nothing title={words.future} today={today} />
      ) : usage.error && !usage.data ? (
        <ErrorState error={usage.error} onAgain={usage.refetch} />
      ) : former.current ? (
        <div className={styles['content']} aria-busy={!usage.data}>
          <Content of={former.current} />
        </div>
      ) : (
        <Skeleton lines={8} onAgain={usage.refetch} />
      )}
    </>
  )
}

function Content({ of }: { of: Shown }): ReactNode {
  const words = useWords(usageWords)
  const { usage, view } = of
  const isEmpty = usage.all.totals.requests === 0 && !isFiltered(view)
  return (
    <>
      <Figures of={of} />
      {isEmpty ? (
        <Nothing title={words.none} today={of.today} />
      ) : (
        <>
          <ChartCard of={of} />
          <Breakdown of={of} />
        </>
      )}
    </>
  )
}

/** Nothing to draw, and the way to days of which there may be something. */
function Nothing({ title, today }: { title: string; today: Today }): ReactNode {
  const words = useWords(usageWords)
  const { go } = useAddress()
  const { changeFor } = useRange('month', today.timeZone)
  const calendar = calendarOf(useLocale())
  return (
    <EmptyState
      title={title}
      action={
        <Button onClick={() => go({ ...noFilters, ...changeFor(rangeOf('thirty', today.day, calendar)) })}>
          {words.last30}
        </Button>
      }
    >
      {words.noneWhy}
    </EmptyState>
  )
}
