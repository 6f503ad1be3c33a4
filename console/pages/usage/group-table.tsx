import type { ReactNode } from 'react'
import { LinkButton } from '../../pieces/button.tsx'
import { type Column, Table } from '../../pieces/table.tsx'
import { decimalsOf, partOf, percentsOf, type Sum } from '../../spending/sums.ts'
import { formatMicrocredits, formatNumber, formatPercent } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './usage.module.css'
import { usageWords } from './usage.words.ts'

export interface Line {
  key: string
  label: ReactNode
  sum: Sum
  /** Undefined where it is not known. */
  before: Sum | undefined
  isPicked?: boolean
  /** Narrows the page to it, or widens it again. */
  onPick?: () => void
}

interface GroupTableProps {
  /** What the lines are of. */
  title: string
  lines: readonly Line[]
  sum: Pick<Line, 'sum' | 'before'>
  hasBefore: boolean
  hasShares: boolean
}

/** Lines that add up to their sum, to the last micro-credit. */
export function GroupTable({ title, lines, sum, hasBefore, hasShares }: GroupTableProps): ReactNode {
  const words = useWords(usageWords)
  const columns = useColumns({ title, lines, sum, hasBefore, hasShares })
  return (
    <Table<Line>
      label={title}
      hasCards
      columns={columns}
      rows={lines}
      sum={{ ...sum, key: ' sum', label: words.sum }}
      keyOf={({ key }) => key}
      openKey={lines.find(({ isPicked }) => isPicked)?.key}
      onOpen={({ onPick }) => onPick?.()}
    />
  )
}

function useColumns({ title, lines, sum, hasBefore, hasShares }: GroupTableProps): Column<Line>[] {
  const words = useWords(usageWords)
  const locale = useLocale()
  const number = (value: number): string => formatNumber(locale, value)
  const amounts = [...lines, sum].flatMap((line) => [line.sum, line.before ?? []].flat())
  const decimals = decimalsOf(amounts.map(({ microcredits }) => microcredits))
  const credits = (of: Sum): string =>
    of.microcredits === 0n
      ? number(0)
      : formatMicrocredits(locale, of.microcredits, { least: decimals, most: decimals })
  const share = (line: Line): number => partOf(line.sum.microcredits, sum.sum.microcredits)
  const ofLines = percentsOf(lines.map((line) => line.sum.microcredits))
  const percents = new Map(lines.map(({ key }, at) => [key, ofLines[at]! / 100]))
  return [
    {
      name: 'name',
      title,
      cell: (line) => (
        <div className={styles['group']}>
          {line.onPick ? (
            <LinkButton aria-pressed={line.isPicked === true} onClick={line.onPick}>
              {line.label}
            </LinkButton>
          ) : (
            <span>{line.label}</span>
          )}
          {hasShares && line.key !== ' sum' && (
            <div className={styles['share']} aria-hidden="true">
              <div className={styles['filled']} style={{ inlineSize: `${share(line) * 100}%` }} />
            </div>
          )}
        </div>
      ),
    },
    ...(hasShares
      ? [
          {
            name: 'share',
            title: words.share,
            kind: 'figures' as const,
            // On phones the bar below the name says it.
            isWide: true,
            cell: (line: Line) => formatPercent(locale, percents.get(line.key) ?? share(line)),
          },
        ]
      : []),
    { name: 'requests', title: words.requests, kind: 'figures', cell: ({ sum: of }) => number(of.requests) },
    { name: 'failed', title: words.failed, kind: 'figures', cell: ({ sum: of }) => number(of.failures) },
    { name: 'tokens', title: words.tokens, kind: 'figures', cell: ({ sum: of }) => number(of.tokens) },
    ...(hasBefore
      ? [
          {
            name: 'before',
            title: words.beforeColumn,
            kind: 'figures' as const,
            cell: ({ before }: Line) => (
              <span className={styles['before']}>{before === undefined ? '–' : credits(before)}</span>
            ),
          },
        ]
      : []),
    { name: 'credits', title: words.credits, kind: 'figures', cell: ({ sum: of }) => credits(of) },
  ]
}
