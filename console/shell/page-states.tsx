import type { ReactNode } from 'react'
import { call } from '../api/client.ts'
import { useAction } from '../api/use-action.ts'
import { buttonClass } from '../pieces/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { shellWords } from './shell.words.ts'

export function PageNotFound(): ReactNode {
  const words = useWords(shellWords)
  return (
    <EmptyState
      isPage
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

/** Fails as any call does while the server does not answer. */
export const reachServer = (): Promise<unknown> => call('GET /v1/sign-in/methods')

/** A page that could not be loaded or drawn. A chunk that is gone comes back with the whole page, once the server answers. */
export function PageFailed({ error }: { error: unknown }): ReactNode {
  const again = useAction(async () => {
    await reachServer()
    location.reload()
  })
  return <ErrorState error={again.error ?? error} onAgain={again.run} />
}

export const PagePending = (): ReactNode => <Skeleton lines={6} onAgain={() => location.reload()} />
