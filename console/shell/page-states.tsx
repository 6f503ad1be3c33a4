import type { ReactNode } from 'react'
import { buttonClass } from '../pieces/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { shellWords } from './shell.words.ts'

export function PageNotFound(): ReactNode {
  const words = useWords(shellWords)
  return (
    <EmptyState
      title={words.notFound}
      action={
        <a className={buttonClass('plain')} href="/">
          {words.toHome}
        </a>
      }
    >
      {words.notFoundWhy}
    </EmptyState>
  )
}

/** A page that could not be loaded or drawn. A chunk that is gone comes back with the whole page. */
export const PageFailed = ({ error }: { error: unknown }): ReactNode => (
  <ErrorState error={error} onAgain={() => location.reload()} />
)

export const PagePending = (): ReactNode => <Skeleton lines={6} onAgain={() => location.reload()} />
