/** The dialog of a session that has ended: the page behind it stays as it is, with all that was typed. */
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { setSignInAgain } from '../api/client.ts'
import { Dialog } from '../pieces/dialog.tsx'
import { Skeleton } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { shellWords } from './shell.words.ts'

const Steps = lazy(async () => ({ default: (await import('../sign-in/steps.tsx')).Steps }))

/** The calls that wait for the person: all of one session end together. */
interface Waiting {
  promise: Promise<void>
  resolve(): void
  reject(error: Error): void
}

export function SignInAgainDialog(): ReactNode {
  const words = useWords(shellWords)
  const [waiting, setWaiting] = useState<Waiting>()
  useEffect(() => {
    let current: Waiting | undefined
    setSignInAgain(() => {
      if (!current) {
        const made = Promise.withResolvers<void>()
        const end = (): void => {
          current = undefined
          setWaiting(undefined)
        }
        current = {
          promise: made.promise,
          resolve: () => {
            end()
            made.resolve()
          },
          reject: (error) => {
            end()
            made.reject(error)
          },
        }
        setWaiting(current)
      }
      return current.promise
    })
    return () => setSignInAgain(undefined)
  }, [])
  if (!waiting) return null
  return (
    <Dialog
      title={words.signInAgain}
      isOpen
      onClose={() => waiting.reject(new Error('The person has not signed in again.'))}
    >
      <p>{words.signInAgainWhy}</p>
      <Suspense fallback={<Skeleton lines={4} />}>
        <Steps returnTo={location.pathname + location.search} onSignedIn={waiting.resolve} />
      </Suspense>
    </Dialog>
  )
}
