import { type ReactNode, useState } from 'react'
import { Badge, type BadgeKind } from '../pieces/badge.tsx'
import { Table } from '../pieces/table.tsx'
import { formatClock } from '../words/dates.ts'
import { formatNumber } from '../words/digits.ts'
import { Id, Name } from '../words/personal.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { galleryWords } from './gallery.words.ts'

interface Call {
  id: string
  at: string
  model: string
  key: string
  result: 'good' | 'replaced' | 'failed'
  credits: number
}

const calls: Call[] = [
  { id: '1', at: '2026-11-29T10:32:11Z', model: 'acme/fast', key: 'وب‌سایت', result: 'good', credits: 0.312 },
  { id: '2', at: '2026-11-29T10:31:58Z', model: 'house/image', key: 'سارا', result: 'good', credits: 11 },
  {
    id: '3',
    at: '2026-11-29T10:31:40Z',
    model: 'acme/fast',
    key: 'support-bot',
    result: 'replaced',
    credits: 0.298,
  },
  { id: '4', at: '2026-11-29T10:29:02Z', model: 'acme/deep', key: 'گزارش‌ها', result: 'failed', credits: 0 },
]

const kinds: Record<Call['result'], BadgeKind> = { good: 'good', replaced: 'attention', failed: 'failure' }

export function Calls({ hasCards = false }: { hasCards?: boolean }): ReactNode {
  const words = useWords(galleryWords)
  const locale = useLocale()
  const [open, setOpen] = useState('3')
  return (
    <Table
      hasCards={hasCards}
      label={words.lastCalls}
      rows={calls}
      keyOf={({ id }) => id}
      openKey={open}
      onOpen={({ id }) => setOpen(id)}
      {...(!hasCards && { groupOf: () => words.today })}
      columns={[
        { name: 'at', title: words.time, kind: 'clock', cell: ({ at }) => formatClock(locale, new Date(at)) },
        { name: 'model', title: words.modelColumn, cell: ({ model }) => <Id>{model}</Id> },
        { name: 'key', title: words.key, cell: ({ key }) => <Name>{key}</Name> },
        {
          name: 'result',
          title: words.result,
          cell: ({ result }) => <Badge kind={kinds[result]}>{words[result]}</Badge>,
        },
        {
          name: 'credits',
          title: words.credits,
          kind: 'figures',
          cell: ({ credits }) => formatNumber(locale, credits, { least: 3 }),
        },
      ]}
    />
  )
}
