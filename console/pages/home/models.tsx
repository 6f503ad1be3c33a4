import type { ReactNode } from 'react'
import { Card, Note } from '../../pieces/card.tsx'
import { Table } from '../../pieces/table.tsx'
import { formatNumber } from '../../words/digits.ts'
import { Id } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { homeWords } from './home.words.ts'
import { byModel, creditsOf, type ModelSum, type UsageRow } from './spending.ts'

const shown = 8

/** What the credit of 30 days went into, the dearest model first; of a project with very many rows, what it went into lately. */
export function Models({ rows, isCut }: { rows: readonly UsageRow[]; isCut: boolean }): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  return (
    <Card title={words.models} action={<Note>{isCut ? words.latelyOnly : words.lastDays}</Note>}>
      <Table<ModelSum>
        label={words.models}
        rows={byModel(rows).slice(0, shown)}
        keyOf={({ model }) => model ?? ''}
        columns={[
          {
            name: 'model',
            title: words.model,
            cell: ({ model }) => (model === null ? words.other : <Id>{model}</Id>),
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
            cell: ({ microcredits }) => formatNumber(locale, creditsOf(microcredits), { least: 3 }),
          },
        ]}
      />
    </Card>
  )
}
