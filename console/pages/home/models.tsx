import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card, Note } from '../../pieces/card.tsx'
import { Table } from '../../pieces/table.tsx'
import { finestDecimals, type Group, sumOf, topOf } from '../../spending/sums.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { Id } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { homeWords } from './home.words.ts'

const shown = 8

/** What the credit of 30 days went into, the dearest model first, and all others together. */
export function Models({ groups }: { groups: readonly Group[] }): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const top = topOf(groups, sumOf(groups), { shown, picked: undefined, hasMore: false })
  const rows: readonly (Group & { count?: number })[] = top.rest
    ? [
        ...top.groups,
        { ...top.rest, value: '', name: words.otherModels(formatNumber(locale, top.rest.count)) },
      ]
    : top.groups
  const decimals = finestDecimals(rows.map(({ microcredits }) => microcredits))
  return (
    <Card title={words.models} action={<Link to="/usage">{words.usage}</Link>}>
      <Note>{words.lastDays}</Note>
      <Table<Group>
        label={words.models}
        rows={rows}
        keyOf={({ value, name }) => name ?? value ?? ''}
        hasCards
        columns={[
          {
            name: 'model',
            title: words.model,
            cell: ({ value, name }) => name ?? (value === undefined ? words.other : <Id>{value}</Id>),
          },
          {
            name: 'requests',
            title: words.requests,
            kind: 'figures',
            cell: ({ requests }) => formatNumber(locale, requests),
          },
          {
            name: 'failed',
            title: words.failed,
            kind: 'figures',
            cell: ({ failures }) => formatNumber(locale, failures),
          },
          {
            name: 'credits',
            title: words.credits,
            kind: 'figures',
            cell: ({ microcredits }) =>
              formatMicrocredits(locale, microcredits, { least: microcredits === 0n ? 0 : decimals }),
          },
        ]}
      />
    </Card>
  )
}
