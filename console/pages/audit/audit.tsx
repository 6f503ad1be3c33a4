/** The audit log: who changed access, money or settings of the account, day by day, with what was there before and after. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { Button } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { LogList } from '../../pieces/log-list.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { formatDay } from '../../words/dates.ts'
import { addDays, dayInTehran } from '../../words/tehran-days.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './audit.module.css'
import { auditWords } from './audit.words.ts'
import { Detail } from './detail.tsx'
import { ChangedMembers, type Entry, Sentence } from './entry.tsx'
import { FilterBar, noFilters } from './filter-bar.tsx'
import { isFiltered, queryOf, readFilters } from './filters.ts'

const perPage = 50

export default function Audit(): ReactNode {
  const words = useWords(auditWords)
  const { account, projectId } = useAccount()
  return (
    <>
      <PageHead title={words.title} lead={words.lead} />
      {account?.role === 'billing' && <Note>{words.moneyOnly}</Note>}
      {account?.is_limited && <Note>{words.limited}</Note>}
      {/* Entries of one account never stand under the name of another while those are read. */}
      <Log key={projectId} />
    </>
  )
}

type AuditPage = Reply<'GET /v1/audit'>

function Log(): ReactNode {
  const { projectId, account } = useAccount()
  const address = useAddress()
  const filters = readFilters(address.read)
  // One moment for all pages of a visit: "seven days" must not move between two of them.
  const [now] = useState(() => new Date())
  const query = { limit: perPage, ...queryOf(filters, now) }
  const list = useQuery({
    queryKey: ['audit', projectId, query],
    queryFn: () => call('GET /v1/audit', { query }),
    enabled: projectId !== undefined,
    placeholderData: keepPreviousData,
  })
  const again = (): void => void list.refetch()
  return (
    <>
      <FilterBar
        filters={filters}
        entries={list.data?.data ?? []}
        isMoneyOnly={account?.role === 'billing'}
      />
      {list.error && !list.data ? (
        <ErrorState error={list.error} onAgain={again} />
      ) : list.data ? (
        <Entries page={list.data} hasFilters={isFiltered(filters)} after={filters.after} />
      ) : (
        <Skeleton lines={8} onAgain={again} />
      )}
    </>
  )
}

interface EntriesProps {
  page: AuditPage
  hasFilters: boolean
  after: string | undefined
}

function Entries({ page, hasFilters, after }: EntriesProps): ReactNode {
  const words = useWords(auditWords)
  const address = useAddress()
  const dayTitle = useDayTitle()
  if (page.data.length === 0 && after === undefined)
    return hasFilters ? (
      <EmptyState
        title={words.none}
        action={<Button onClick={() => address.go(noFilters)}>{words.clear}</Button>}
      >
        {words.noneWhy}
      </EmptyState>
    ) : (
      <EmptyState title={words.empty}>{words.emptyWhy}</EmptyState>
    )
  return (
    <div className={styles['list']}>
      <Card>
        <LogList
          label={words.title}
          days={daysOf(page.data).map(({ day, entries }) => ({
            title: dayTitle(day),
            items: entries.map((entry) => ({
              key: entry.id,
              at: entry.at,
              text: <Sentence of={entry} />,
              to: <ChangedMembers of={entry} />,
              entry,
            })),
          }))}
          openKey={address.read('open') || undefined}
          onOpen={(open) => address.go({ open }, { isStep: false })}
          detailOf={({ entry }) => <Detail of={entry} />}
        />
      </Card>
      {(page.has_more || after !== undefined) && (
        <nav className={styles['pages']} aria-label={words.pages}>
          {after !== undefined && (
            <Button onClick={() => address.go({ after: undefined, open: undefined })}>{words.newest}</Button>
          )}
          {page.has_more && page.last_id !== null && (
            <Button onClick={() => address.go({ after: page.last_id ?? undefined, open: undefined })}>
              {words.older}
            </Button>
          )}
        </nav>
      )}
    </div>
  )
}

/** The entries by days of Tehran, in the order in which they came. */
function daysOf(entries: readonly Entry[]): { day: string; entries: Entry[] }[] {
  const days: { day: string; entries: Entry[] }[] = []
  for (const entry of entries) {
    const day = dayInTehran(new Date(entry.at))
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

function useDayTitle(): (day: string) => string {
  const words = useWords(auditWords)
  const locale = useLocale()
  const now = new Date()
  const today = dayInTehran(now)
  return (day) => {
    const date = formatDay(locale, new Date(`${day}T12:00:00Z`), now, { timeZone: 'Asia/Tehran' })
    if (day === today) return `${words.today} · ${date}`
    return day === addDays(today, -1) ? `${words.yesterday} · ${date}` : date
  }
}
