/** What a list or a page shows in place of its content: nothing there, a failure, the wait for it. */
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { Id } from '../words/personal.tsx'
import { useWords } from '../words/use-words.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import { pieceWords } from './pieces.words.ts'
import styles from './states.module.css'

/** Nothing is there yet: why, and the one next step. `isPage`: nothing else is on the page, so its title is that of the page. */
export const EmptyState = ({
  title,
  children,
  action,
  isPage = false,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
  isPage?: boolean
}): ReactNode => (
  <div className={styles['state']}>
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children !== undefined && <p>{children}</p>}
    {action !== undefined && <div className={styles['actions']}>{action}</div>}
  </div>
)

/** The sentence of a failure: the API's own, or what could not be reached. */
export function useSentence(error: unknown): string {
  return sentenceOf(error, useWords(pieceWords))
}

/** The same for messages, which are no elements. */
export function sentenceOf(error: unknown, words: typeof pieceWords.fa): string {
  if (error instanceof ApiError) return error.message
  return error instanceof SlowAnswer
    ? words.slow
    : error instanceof TypeError
      ? words.offline
      : words.unreadable
}

export class SlowAnswer extends Error {}

/** A failure in the words of the API, with the id by which its request is found, and "again". */
export function ErrorState({
  error,
  onAgain,
}: {
  error: unknown
  onAgain?: (() => void) | undefined
}): ReactNode {
  const words = useWords(pieceWords)
  const sentence = useSentence(error)
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <div className={styles['state']} role="alert">
      <p>{sentence}</p>
      {requestId !== undefined && (
        <div className={styles['id']}>
          <span>{words.requestId}</span>
          <Id>{requestId}</Id>
        </div>
      )}
      {onAgain && (
        <div className={styles['actions']}>
          <Button onClick={onAgain}>{words.again}</Button>
        </div>
      )}
    </div>
  )
}

export type NoticeKind = 'plain' | 'failure' | 'attention' | 'good'

/** A sentence that stands above a form or a list. Failures are read aloud at once. */
export const Notice = ({
  kind = 'plain',
  children,
}: {
  kind?: NoticeKind
  children: ReactNode
}): ReactNode => (
  <div className={styles['notice']} data-kind={kind} role={kind === 'failure' ? 'alert' : 'status'}>
    {(kind === 'failure' || kind === 'attention') && <Icon name="alert" size={16} />}
    <div>{children}</div>
  </div>
)

/** Longer than this nobody waits for a skeleton. */
export const skeletonMs = 8_000

/** Lines in place of what is loading. After 8 s they become the error state. */
export function Skeleton({
  lines = 3,
  onAgain,
}: {
  lines?: number
  onAgain?: (() => void) | undefined
}): ReactNode {
  const words = useWords(pieceWords)
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), skeletonMs)
    return () => clearTimeout(timer)
  }, [])
  if (isSlow)
    return (
      <ErrorState
        error={new SlowAnswer()}
        onAgain={
          onAgain &&
          (() => {
            setSlow(false)
            onAgain()
          })
        }
      />
    )
  return (
    <div className={styles['lines']} role="status" aria-label={words.loading}>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} className={styles['line']} style={{ inlineSize: `${[92, 76, 84][at % 3]}%` }} />
      ))}
    </div>
  )
}
