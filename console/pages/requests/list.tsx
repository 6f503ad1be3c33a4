import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { type Column, Table } from '../../pieces/table.tsx'
import { followed } from '../../shell/frame.tsx'
import { ResultBadge } from '../../spending/result-badge.tsx'
import { finestDecimals } from '../../spending/sums.ts'
import { cleanName } from '../../words/clean-name.ts'
import { formatClock, formatDay, formatFull } from '../../words/dates.ts'
import { formatMicrocredits } from '../../words/digits.ts'
import { Id, Name } from '../../words/personal.tsx'
import { addDays, dayInZone } from '../../words/tehran-days.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import type { RequestRow } from './queries.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'

interface ListProps {
  rows: readonly RequestRow[]
  openId: string
  timeZone: string
  /** The project of the filter; all, an id, or undefined for that of the page. */
  project: string | undefined
  hrefOf(id: string): string
  onOpen(id: string): void
}

/** The id of the link of a row, to which the focus goes back. */
export const linkId = (id: string): string => `request-${id}`

export function RequestTable({ rows, openId, timeZone, project, hrefOf, onOpen }: ListProps): ReactNode {
  const words = useWords(requestsWords)
  const locale = useLocale()
  const { account } = useAccount()
  const titleOf = useDayTitle(timeZone)
  const decimals = finestDecimals(rows.map(({ microcredits }) => BigInt(microcredits)))
  const isNarrow = openId !== ''
  const columns: (Column<RequestRow> | false)[] = [
    {
      name: 'time',
      title: words.time,
      kind: 'clock',
      cell: (row) => <Time row={row} isOpen={row.id === openId} {...{ timeZone, hrefOf, onOpen }} />,
    },
    {
      name: 'model',
      title: words.model,
      cell: (row) => (
        <>
          <Clipped isLtr isWide={!isNarrow} title={cleanName(row.model ?? row.endpoint)}>
            <Id>{cleanName(row.model ?? row.endpoint)}</Id>
          </Clipped>
          <div className={styles['under']}>
            <ResultBadge of={row} />
          </div>
        </>
      ),
    },
    project === 'all' &&
      !isNarrow && {
        name: 'project',
        title: words.project,
        isWide: true,
        cell: ({ project_id: id }) => (
          <Clipped>
            <Name>{account?.projects.find((one) => one.id === id)?.name ?? id.slice(0, 8)}</Name>
          </Clipped>
        ),
      },
    !isNarrow && {
      name: 'payer',
      title: words.key,
      isWide: true,
      cell: ({ person, key_id: key, key_name: name, management_key: isManagement }) => (
        <Clipped {...(isManagement && { title: words.managementKey })}>
          {person || name !== null ? (
            <Name>{person?.name ?? name!}</Name>
          ) : (
            <Id title={key}>{key.slice(0, 8)}</Id>
          )}
        </Clipped>
      ),
    },
    !isNarrow &&
      rows.some(({ customer_id: customer }) => customer !== null) && {
        name: 'customer',
        title: words.customerColumn,
        isWide: true,
        cell: ({ customer_id: customer }) =>
          customer !== null && (
            <Clipped title={cleanName(customer)}>
              <Name>{customer}</Name>
            </Clipped>
          ),
      },
    { name: 'result', title: words.result, isWide: true, cell: (row) => <ResultBadge of={row} /> },
    {
      name: 'credits',
      title: words.credits,
      kind: 'figures',
      cell: ({ state, microcredits }) =>
        state === 'running'
          ? ''
          : formatMicrocredits(locale, BigInt(microcredits), { least: microcredits === '0' ? 0 : decimals }),
    },
  ]
  return (
    <Table<RequestRow>
      label={words.list}
      rows={rows}
      keyOf={({ id }) => id}
      columns={columns.filter((column) => column !== false)}
      groupOf={({ created_at: at }) => titleOf(dayInZone(new Date(at), timeZone))}
      openKey={openId}
      onOpen={({ id }) => onOpen(id)}
    />
  )
}

interface TimeProps extends Pick<ListProps, 'timeZone' | 'hrefOf' | 'onOpen'> {
  row: RequestRow
  isOpen: boolean
}

/** The link of a row: the clock of its day, whose whole moment is said on hover. */
function Time({ row: { id, created_at: at }, isOpen, timeZone, hrefOf, onOpen }: TimeProps): ReactNode {
  const locale = useLocale()
  const moment = new Date(at)
  return (
    <a
      id={linkId(id)}
      className={styles['time']}
      href={hrefOf(id)}
      title={formatFull(locale, moment, { timeZone })}
      aria-current={isOpen}
      onClick={followed(hrefOf(id), () => onOpen(id))}
    >
      <time dateTime={at}>{formatClock(locale, moment, { timeZone })}</time>
    </a>
  )
}

/** A text of any length in one line, so that all rows are equally high. */
function Clipped({
  isLtr,
  isWide,
  title,
  children,
}: {
  isLtr?: boolean
  isWide?: boolean
  title?: string
  children: ReactNode
}): ReactNode {
  return (
    <span
      className={styles['clipped']}
      {...(isLtr && { dir: 'ltr' })}
      {...(isWide && { 'data-wide': true })}
      title={title}
    >
      {children}
    </span>
  )
}

function useDayTitle(timeZone: string): (day: string) => string {
  const words = useWords(requestsWords)
  const locale = useLocale()
  const now = new Date()
  const today = dayInZone(now, timeZone)
  return (day) => {
    const date = formatDay(locale, new Date(`${day}T12:00:00Z`), now, { timeZone: 'UTC' })
    if (day === today) return `${words.today} · ${date}`
    return day === addDays(today, -1) ? `${words.yesterday} · ${date}` : date
  }
}
