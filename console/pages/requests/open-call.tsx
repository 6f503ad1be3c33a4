import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { isMissing } from '../../api/api-error.ts'
import { useAccount } from '../../api/use-account.ts'
import { Button, IconButton } from '../../pieces/button.tsx'
import { Icon } from '../../pieces/icons.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { ResultBadge } from '../../spending/result-badge.tsx'
import { formatMicrocredits } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { Attempts } from './attempts.tsx'
import { chargeWords } from './charge.words.ts'
import { failedAttempts, readDetails, stepsOf } from './details.ts'
import { Facts } from './facts.tsx'
import { noteReport, type Report, reportQuery } from './queries.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'
import { Steps } from './steps.tsx'
import { Sum } from './sum.tsx'
import { Why } from './why.tsx'

interface OpenCallProps {
  id: string
  timeZone: string
  takesFocus: boolean
  onClose(): void
}

/** One call beside the list; on narrow screens in its place. */
export function OpenCall({ id, timeZone, takesFocus, onClose }: OpenCallProps): ReactNode {
  const words = useWords(requestsWords)
  const { projectId } = useAccount()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery(reportQuery(projectId, id))
  const titleId = useId()
  const pane = useRef<HTMLElement>(null)
  // Whoever has opened it goes on in it; a page that begins with it has its focus at its beginning.
  useEffect(() => {
    if (takesFocus) pane.current?.focus({ preventScroll: true })
  }, [takesFocus])
  useEffect(() => {
    if (data && !data.pending) noteReport(queries, projectId, data)
  }, [queries, projectId, data])
  useEscape(pane, onClose)
  return (
    <section
      ref={pane}
      className={styles['pane']}
      tabIndex={-1}
      {...(data ? { 'aria-labelledby': titleId } : { 'aria-label': words.opened })}
    >
      <div className={styles['back']}>
        <Button kind="quiet" onClick={onClose}>
          {words.back}
        </Button>
      </div>
      <div className={styles['card']}>
        {data ? (
          <Shown report={data} titleId={titleId} timeZone={timeZone} onClose={onClose} />
        ) : isMissing(error) ? (
          <EmptyState title={words.gone} action={<Button onClick={onClose}>{words.close}</Button>}>
            {words.goneWhy}
          </EmptyState>
        ) : error ? (
          <ErrorState error={error} onAgain={() => void refetch()} />
        ) : (
          <Skeleton lines={8} onAgain={() => void refetch()} />
        )}
      </div>
    </section>
  )
}

function useEscape(within: RefObject<HTMLElement | null>, act: () => void): void {
  useEffect(() => {
    const element = within.current
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') act()
    }
    element?.addEventListener('keydown', onKey)
    return () => element?.removeEventListener('keydown', onKey)
  })
}

interface ShownProps extends Pick<OpenCallProps, 'timeZone' | 'onClose'> {
  report: Report
  titleId: string
}

function Shown({ report, titleId, onClose, ...rest }: ShownProps): ReactNode {
  const words = useWords(requestsWords)
  const charge = useWords(chargeWords)
  const locale = useLocale()
  const details = readDetails(report.details)
  const amount = formatMicrocredits(locale, BigInt(report.microcredits))
  return (
    <>
      <div className={styles['head']}>
        <h2 id={titleId}>
          {report.pending
            ? charge.whyRunning
            : report.microcredits === '0'
              ? charge.whyFree
              : charge.why(amount)}
        </h2>
        <ResultBadge
          of={{
            ...report,
            tokens: details.tokens,
            attempts: details.attempts.length,
            failed_attempts: failedAttempts(details),
            steps: stepsOf(details),
          }}
        />
        <span className={styles['close']}>
          <IconButton label={words.close} onClick={onClose}>
            <Icon name="close" />
          </IconButton>
        </span>
      </div>
      <Why report={report} details={details} />
      <Attempts details={details} isPending={report.pending} />
      <Sum report={report} />
      <Steps steps={details.steps} />
      <Facts report={report} details={details} {...rest} />
    </>
  )
}
