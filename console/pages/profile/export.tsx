/** Everything that is stored of the person, as a ZIP that a job makes. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { methodsQuery, queries } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { Row, Rows } from '../../pieces/rows.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { formatBytes } from '../../words/bytes.ts'
import { formatFull } from '../../words/dates.ts'
import { Moment } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { ownDataWords } from './own-data.words.ts'
import styles from './profile.module.css'

type Export = Reply<'GET /v1/me/exports'>['data'][number]

const isOpen = ({ state }: Export): boolean => state === 'queued' || state === 'running'

/** While one is being made, the list is read again every few seconds. */
const exportsQuery = {
  queryKey: ['exports'],
  queryFn: () => call('GET /v1/me/exports'),
  refetchInterval: ({ state }: { state: { data: Reply<'GET /v1/me/exports'> | undefined } }) =>
    state.data?.data.some(isOpen) ? 3_000 : (false as const),
}

export function OwnData(): ReactNode {
  const exports = useQuery(exportsQuery)
  const again = (): void => void exports.refetch()
  if (exports.data) return <ExportCard exports={exports.data.data} />
  return exports.error ? (
    <ErrorState error={exports.error} onAgain={again} />
  ) : (
    <Skeleton lines={5} onAgain={again} />
  )
}

function ExportCard({ exports }: { exports: readonly Export[] }): ReactNode {
  const words = useWords(ownDataWords)
  const methods = useQuery(methodsQuery)
  const ask = useAction(async () => {
    await call('POST /v1/me/exports')
    showToast(words.asked)
    await queries.invalidateQueries({ queryKey: exportsQuery.queryKey })
  })
  return (
    <Card title={words.title}>
      <p className={styles['soft']}>
        {words.why} {methods.data?.mail === false ? words.here : words.byMail}
      </p>
      <Failure error={ask.error} />
      {!exports.some(isOpen) && (
        <div className={styles['actions']}>
          <Button isBusy={ask.isBusy} onClick={() => ask.run()}>
            {words.ask}
          </Button>
        </div>
      )}
      {exports.length === 0 ? (
        <p className={styles['soft']}>{words.none}</p>
      ) : (
        <Rows label={words.list}>
          {exports.map((one) => (
            <ExportRow key={one.id} of={one} />
          ))}
        </Rows>
      )}
    </Card>
  )
}

const kinds = {
  queued: 'plain',
  running: 'plain',
  ready: 'good',
  failed: 'failure',
  expired: 'plain',
} as const

function ExportRow({ of }: { of: Export }): ReactNode {
  const words = useWords(ownDataWords)
  const locale = useLocale()
  return (
    <Row
      title={
        <>
          {words.from} <Moment at={of.created_at} />
        </>
      }
      badges={<Badge kind={kinds[of.state]}>{words.states[of.state]}</Badge>}
      note={
        of.state === 'ready' && of.expires_at !== null
          ? words.until(formatFull(locale, new Date(of.expires_at)))
          : of.state === 'failed' && words.failedWhy
      }
      actions={
        of.state === 'ready' && (
          <a className={buttonClass()} href={`/v1/me/exports/${of.id}/content`} download>
            {words.download(formatBytes(locale, of.bytes ?? 0))}
          </a>
        )
      }
    />
  )
}
