/** The dialogs that calls wait for: the page behind them stays as it is, with all that was typed. */
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { answer, currentNeeds, subscribeNeeds } from '../api/ask.ts'
import { call, type Reply } from '../api/client.ts'
import { meQuery, queries } from '../api/queries.ts'
import { Dialog } from '../pieces/dialog.tsx'
import { Skeleton } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { shellWords } from './shell.words.ts'

const Steps = lazy(async () => ({ default: (await import('../sign-in/steps.tsx')).Steps }))
const StepUp = lazy(() => import('../step-up/step-up.tsx'))

/** The calls that wait were those of one person: where another one has signed in they are not made, and the page begins anew. */
async function signedIn(): Promise<void> {
  const before = queries.getQueryData<Reply<'GET /v1/me'>>(meQuery.queryKey)
  const now = await call('GET /v1/me').catch(() => undefined)
  if (before && now && before.id !== now.id) return location.assign('/')
  answer('sign_in', true)
}

export function AskingDialogs(): ReactNode {
  const words = useWords(shellWords)
  const needs = useSyncExternalStore(subscribeNeeds, currentNeeds)
  const steppedUp = (): void => {
    answer('step_up', true)
    // It says until when the factor counts.
    void queries.invalidateQueries({ queryKey: ['me'] })
  }
  return (
    <>
      {needs.has('step_up') && (
        <Dialog title={words.stepUp} isOpen onClose={() => answer('step_up', false)}>
          <Suspense fallback={<Skeleton lines={4} />}>
            <StepUp onDone={steppedUp} />
          </Suspense>
        </Dialog>
      )}
      {needs.has('sign_in') && (
        <Dialog title={words.signInAgain} isOpen onClose={() => answer('sign_in', false)}>
          <p>{words.signInAgainWhy}</p>
          <Suspense fallback={<Skeleton lines={4} />}>
            <Steps returnTo={location.pathname + location.search} onSignedIn={() => void signedIn()} />
          </Suspense>
        </Dialog>
      )}
    </>
  )
}
