/** Where a provider of OpenID Connect leads back to: the page posts its whole address, since no GET signs anybody in. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call, type Reply } from '../api/client.ts'
import { mayBeSignedIn } from '../api/session-hint.ts'
import { buttonClass } from '../pieces/button.tsx'
import { Skeleton } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { Failure } from './failure.tsx'
import { Panel } from './panel.tsx'
import { ownPath } from './return-path.ts'
import { type SecondFactor, SecondStep } from './second-step.tsx'
import { signInWords } from './sign-in.words.ts'

export function OpenidPage(): ReactNode {
  const words = useWords(signInWords)
  const [error, setError] = useState<unknown>()
  const [second, setSecond] = useState<{ factors: readonly SecondFactor[]; to: string }>()
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const url = location.href
    // The code works once; it does not stay in the history of the browser.
    history.replaceState(null, '', location.pathname)
    finish(url).catch(setError)
    async function finish(address: string): Promise<void> {
      const reply = await call('POST /v1/sign-in/openid/finish', { body: { url: address } })
      const to = ownPath(returnOf(reply) ?? '/', location.origin)
      if (reply.status === 'second_factor') setSecond({ factors: reply.factors, to })
      else location.replace(to)
    }
  }, [])
  if (second)
    return (
      <Panel title={words.secondTitle}>
        <SecondStep
          factors={second.factors}
          onReply={(reply) => reply.status === 'signed_in' && location.replace(second.to)}
        />
      </Panel>
    )
  return (
    <Panel title={error === undefined ? words.openidTitle : words.openidFailed}>
      {error === undefined ? <Skeleton lines={2} /> : <Failure error={error} />}
      {error !== undefined && (
        <a
          className={buttonClass('plain', true)}
          href={mayBeSignedIn() ? '/profile?tab=sign-in' : '/sign-in'}
        >
          {mayBeSignedIn() ? words.toProfile : words.toSignIn}
        </a>
      )}
    </Panel>
  )
}

const returnOf = (reply: Reply<'POST /v1/sign-in/openid/finish'>): string | undefined =>
  'return_to' in reply ? reply.return_to : undefined
