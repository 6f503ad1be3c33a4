import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { Note } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { Id } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { firstCallWords } from './first-call.words.ts'
import styles from './keys.module.css'

type Report = Reply<'GET /v1/requests/{id}'>

/** A receipt is written some milliseconds after its answer. */
const settlesMs = 300

/** The receipt of a request, asked for again until it is settled. Any member who sees usage may read it; the key itself need not. */
export const useReceipt = (id: string) =>
  useQuery({
    queryKey: ['request', id],
    queryFn: () => call('GET /v1/requests/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.pending ? settlesMs : false),
  })

/** What was held for a request, what it cost and what came back. */
export function Receipt({ id }: { id: string }): ReactNode {
  const words = useWords(firstCallWords)
  const receipt = useReceipt(id)
  if (receipt.error && !receipt.data)
    return <ErrorState error={receipt.error} onAgain={() => void receipt.refetch()} />
  if (!receipt.data) return <Skeleton lines={3} onAgain={() => void receipt.refetch()} />
  return (
    <>
      <Lines report={receipt.data} />
      {receipt.data.pending && <Note>{words.pending}</Note>}
    </>
  )
}

function Lines({ report }: { report: Report }): ReactNode {
  const words = useWords(firstCallWords)
  const locale = useLocale()
  const credits = (micro: bigint): string => words.cost(formatMicrocredits(locale, micro))
  const [held, charged] = [BigInt(report.reserved_microcredits), BigInt(report.microcredits)]
  const { input, output } = (report.details?.['tokens'] ?? {}) as { input?: number; output?: number }
  const tokens = (count: number | undefined): string | undefined =>
    count === undefined ? undefined : words.tokens(formatNumber(locale, count))
  const lines: [string, ReactNode][] = [
    [words.id, <Id key="id">{report.id}</Id>],
    [words.model, report.model !== null && <Id key="model">{report.model}</Id>],
    [words.input, tokens(input)],
    [words.output, tokens(output)],
    [words.held, credits(held)],
    [words.charged, !report.pending && credits(charged)],
    [words.returned, !report.pending && held >= charged && credits(held - charged)],
  ]
  return (
    <dl className={styles['receipt']}>
      {lines
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name} className={styles['line']}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
