/** What the dialog of a step-up asks: the best factor that the person has, with the others a press away. */
import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../api/client.ts'
import { getPasskey } from '../api/passkey.ts'
import { factorsQuery, identitiesQuery, meQuery, methodsQuery } from '../api/queries.ts'
import { Button } from '../pieces/button.tsx'
import { ErrorState, Notice, Skeleton } from '../pieces/states.tsx'
import { leadClass, orClass, waysClass } from '../sign-in/panel.tsx'
import { SecondForm } from '../sign-in/second-step.tsx'
import { signInWords } from '../sign-in/sign-in.words.ts'
import { useWords } from '../words/use-words.ts'
import { CodeWay, OpenidWay, PasswordWay } from './first-ways.tsx'
import { stepUpWords } from './step-up.words.ts'
import { type FirstWay, firstWaysOf, secondWaysOf } from './ways.ts'

interface StepUpProps {
  onDone(): void
}

export default function StepUp({ onDone }: StepUpProps): ReactNode {
  const words = useWords(stepUpWords)
  const [me, factors, methods, identities] = useQueries({
    queries: [meQuery, { ...factorsQuery, staleTime: 0 }, methodsQuery, identitiesQuery],
  })
  const error = me.error ?? factors.error ?? methods.error ?? identities.error
  const again = (): void => {
    for (const query of [me, factors, methods, identities]) void query.refetch()
  }
  if (error) return <ErrorState error={error} onAgain={again} />
  if (!me.data || !factors.data || !methods.data || !identities.data)
    return <Skeleton lines={4} onAgain={again} />
  const known = { me: me.data, methods: methods.data, identities: identities.data }
  const second = secondWaysOf({ factors: factors.data })
  return (
    <>
      <p className={leadClass}>{words.why}</p>
      {factors.data.data.length === 0 ? (
        <FirstWays ways={firstWaysOf(known)} email={me.data.email} onDone={onDone} />
      ) : second.length === 0 ? (
        <Notice kind="attention">{words.noSecond}</Notice>
      ) : (
        <SecondForm
          factors={second}
          onCode={async (body) => {
            await call('POST /v1/step-up/totp', { body })
            onDone()
          }}
          onPasskey={async () => {
            const options = await call('POST /v1/step-up/passkey/options')
            await call('POST /v1/step-up/passkey', { body: { response: await getPasskey(options) } })
            onDone()
          }}
        />
      )}
    </>
  )
}

interface FirstWaysProps extends StepUpProps {
  ways: readonly FirstWay[]
  email: string | null
}

function FirstWays({ ways, email, onDone }: FirstWaysProps): ReactNode {
  const words = useWords(stepUpWords)
  const { or } = useWords(signInWords)
  const [at, setAt] = useState(0)
  const way = ways[at]
  if (!way) return <Notice kind="attention">{words.none}</Notice>
  const others = ways.map((one, index) => ({ one, index })).filter(({ index }) => index !== at)
  return (
    <>
      {way.kind === 'password' && <PasswordWay onDone={onDone} />}
      {way.kind === 'code' && <CodeWay email={email ?? ''} onDone={onDone} />}
      {way.kind === 'openid' && <OpenidWay provider={way.provider} name={way.name} />}
      {others.length > 0 && (
        <>
          <div className={orClass}>{or}</div>
          <div className={waysClass}>
            {others.map(({ one, index }) => (
              <Button key={index} isWide onClick={() => setAt(index)}>
                <WayName way={one} />
              </Button>
            ))}
          </div>
        </>
      )}
    </>
  )
}

function WayName({ way }: { way: FirstWay }): ReactNode {
  const words = useWords(stepUpWords)
  if (way.kind === 'openid') return words.byProvider(way.name)
  return way.kind === 'password' ? words.byPassword : words.byCode
}
