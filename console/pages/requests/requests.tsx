/** Requests: every call with what it cost, and one of them opened beside the list with the reason for its cost. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { type Today, useToday } from '../../api/use-today.ts'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { UnseenBlock } from '../../pieces/unseen.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { useRange } from '../../shell/use-range.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { ExportButtons } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { isFiltered, noFilters, queryOf, readFilters } from './filters.ts'
import { FindBox } from './find-box.tsx'
import { RequestTable } from './list.tsx'
import { LiveButton } from './live-button.tsx'
import { OpenCall } from './open-call.tsx'
import { requestsQuery, rowsOf } from './queries.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'
import { useKeyNames } from './use-names.ts'
import { useOpen } from './use-open.ts'
import { useTail } from './use-tail.ts'

export default function Requests(): ReactNode {
  const words = useWords(requestsWords)
  const { projectId, may } = useAccount()
  const today = useToday()
  if (!may('usage:read'))
    return (
      <>
        <PageHead title={words.title} />
        <EmptyState title={words.noRight}>{words.noRightWhy}</EmptyState>
      </>
    )
  if (today.data) return <Shown key={projectId} today={today.data} />
  return (
    <>
      <PageHead title={words.title} />
      {today.error ? (
        <ErrorState error={today.error} onAgain={today.refetch} />
      ) : (
        <Skeleton lines={8} onAgain={today.refetch} />
      )}
    </>
  )
}

function Shown({ today: { timeZone, day } }: { today: Today }): ReactNode {
  const words = useWords(requestsWords)
  const { projectId } = useAccount()
  const address = useAddress()
  const days = useRange('all', timeZone)
  const filters = readFilters(address.read)
  const query = queryOf(filters, days.range)
  const list = useInfiniteQuery(requestsQuery(projectId, query))
  const rows = list.data ? rowsOf(list.data) : []
  const keyNames = useKeyNames(rows)
  const box = useRef<HTMLDivElement>(null)
  const { openId, hasMoved, open, close } = useOpen(box)
  const [isLive, setLive] = useState(true)
  // Of days that are over nothing new comes.
  const mayChange = days.range === undefined || days.range.to >= day
  const tail = useTail(projectId, query, {
    isOn: isLive && mayChange && list.data !== undefined,
    isReading: () => isRead(box.current),
  })
  const again = (): void => void list.refetch()
  return (
    <div className={styles['page']} {...(openId !== '' && { 'data-open': true })}>
      <PageHead
        title={words.title}
        actions={
          <div className={styles['actions']}>
            {mayChange && <LiveButton isLive={isLive} isFailing={tail.isFailing} onChange={setLive} />}
            <ExportButtons query={query} />
          </div>
        }
      />
      <div className={styles['tools']}>
        <FindBox project={filters.project} />
        <FilterBar filters={filters} days={days} rows={rows} keyNames={keyNames} />
      </div>
      <div className={styles['split']}>
        <div className={styles['list']} ref={box}>
          {list.error && !list.data ? (
            <ErrorState error={list.error} onAgain={again} />
          ) : !list.data ? (
            <Skeleton lines={8} onAgain={again} />
          ) : (
            <>
              <News tail={tail} />
              {rows.length === 0 ? (
                <Empty isFiltered={isFiltered(filters) || days.range !== undefined} />
              ) : (
                <Card>
                  <RequestTable
                    rows={rows}
                    openId={openId}
                    timeZone={timeZone}
                    project={filters.project}
                    hrefOf={(id) => address.href({ open: id })}
                    onOpen={open}
                  />
                  <End list={list} count={rows.length} />
                </Card>
              )}
            </>
          )}
        </div>
        {openId !== '' && (
          <OpenCall key={openId} id={openId} timeZone={timeZone} takesFocus={hasMoved} onClose={close} />
        )}
      </div>
    </div>
  )
}

/** Whether somebody reads the rows: they are scrolled, or the pointer or the focus is on them. */
function isRead(box: HTMLElement | null): boolean {
  if (!box || box.getClientRects().length === 0) return true
  return scrollY > 40 || box.matches(':hover') || box.contains(document.activeElement)
}

/** What is new and waits; screen readers are told of what has come, whether it waits or not. */
function News({ tail }: { tail: ReturnType<typeof useTail> }): ReactNode {
  const words = useWords(requestsWords)
  const locale = useLocale()
  const fresh = (count: number): string => words.fresh(formatNumber(locale, count))
  return (
    <>
      <UnseenBlock>
        <div role="status">{tail.announced > 0 && fresh(tail.announced)}</div>
      </UnseenBlock>
      {tail.waiting > 0 && (
        <div className={styles['news']}>
          <Button
            onClick={() => {
              tail.show()
              scrollTo({ top: 0 })
            }}
          >
            {tail.isGap ? words.freshMany : fresh(tail.waiting)}
          </Button>
        </div>
      )}
    </>
  )
}

function Empty({ isFiltered: hasFilters }: { isFiltered: boolean }): ReactNode {
  const words = useWords(requestsWords)
  const address = useAddress()
  const { may } = useAccount()
  if (hasFilters)
    return (
      <EmptyState
        title={words.none}
        action={<Button onClick={() => address.go(noFilters)}>{words.clear}</Button>}
      >
        {words.noneWhy}
      </EmptyState>
    )
  return (
    <EmptyState
      title={words.empty}
      action={
        may('keys:write') && (
          <a className={buttonClass('plain')} href="/keys/new">
            {words.emptyAction}
          </a>
        )
      }
    >
      {words.emptyWhy}
    </EmptyState>
  )
}

interface EndProps {
  list: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    error: unknown
    fetchNextPage(): unknown
  }
  count: number
}

/** How many are shown, and the way to older ones. */
function End({ list, count }: EndProps): ReactNode {
  const words = useWords(requestsWords)
  const locale = useLocale()
  return (
    <div className={styles['end']}>
      <span>{words.shown(formatNumber(locale, count))}</span>
      {list.isFetchNextPageError && <ErrorState error={list.error} />}
      {list.hasNextPage && (
        <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words.older}
        </Button>
      )}
    </div>
  )
}
