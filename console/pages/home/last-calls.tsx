import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { Card } from '../../pieces/card.tsx'
import { Table } from '../../pieces/table.tsx'
import { ResultBadge } from '../../spending/result-badge.tsx'
import { finestDecimals } from '../../spending/sums.ts'
import { cleanName } from '../../words/clean-name.ts'
import { formatMicrocredits } from '../../words/digits.ts'
import { Id, Moment } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { homeWords } from './home.words.ts'

const shown = 5
const refreshMs = 30_000

/** The last calls of the project, each of which opens on the page of requests. A failure leaves it out: the figures above say what matters. */
export function LastCalls(): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const { projectId, may } = useAccount()
  const list = useQuery({
    queryKey: ['requests', projectId, 'last'],
    queryFn: () => call('GET /v1/requests', { query: { limit: shown } }),
    enabled: projectId !== undefined && may('usage:read'),
    refetchInterval: refreshMs,
  })
  const rows = list.data?.data ?? []
  if (rows.length === 0) return null
  const decimals = finestDecimals(rows.map(({ microcredits }) => BigInt(microcredits)))
  return (
    <Card title={words.lastCalls} action={<Link to="/requests">{words.allCalls}</Link>}>
      <Table
        label={words.lastCalls}
        rows={rows}
        keyOf={({ id }) => id}
        hasCards
        columns={[
          {
            name: 'time',
            title: words.callTime,
            kind: 'clock',
            cell: ({ id, created_at: at }) => (
              <Link to="/requests/$id" params={{ id }}>
                <Moment at={at} />
              </Link>
            ),
          },
          {
            name: 'model',
            title: words.callModel,
            cell: ({ model, endpoint }) => <Id>{cleanName(model ?? endpoint)}</Id>,
          },
          { name: 'result', title: words.callResult, cell: (row) => <ResultBadge of={row} /> },
          {
            name: 'credits',
            title: words.callCredits,
            kind: 'figures',
            cell: ({ state, microcredits }) =>
              state === 'running'
                ? ''
                : formatMicrocredits(locale, BigInt(microcredits), {
                    least: microcredits === '0' ? 0 : decimals,
                  }),
          },
        ]}
      />
    </Card>
  )
}
