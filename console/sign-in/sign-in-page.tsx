import { type ReactNode, useState } from 'react'
import { useWords } from '../words/use-words.ts'
import type { Methods } from './first-step.tsx'
import { Panel } from './panel.tsx'
import { returnPath } from './return-path.ts'
import { signInWords } from './sign-in.words.ts'
import { type Step, Steps } from './steps.tsx'
import { tokenOfPage } from './token.ts'

export function SignInPage(): ReactNode {
  const words = useWords(signInWords)
  const [step, setStep] = useState<Step>({ name: 'first', email: '' })
  const [signUp, setSignUp] = useState<SignUpMode>()
  const to = returnPath(location)
  const hasToken = tokenOfPage(location.hash) !== undefined
  const isMessage = step.name === 'code' && step.isMessage
  const code = isMessage ? words.messageTitle : words.codeTitle
  const titles = { first: words.title, code, second: words.secondTitle }
  return (
    <Panel
      title={titles[step.name]}
      below={
        step.name === 'first' && signUp && <HowToEnter mode={signUp} token={hasToken ? location.hash : ''} />
      }
    >
      <Steps
        returnTo={to}
        onMethods={(methods) => setSignUp(methods.sign_up)}
        onSignedIn={() => location.replace(to)}
        onStep={setStep}
      />
    </Panel>
  )
}

type SignUpMode = Methods['sign_up']

/** What somebody without an account does: sign up where that is open, else be invited; the first person has the link of the start. */
function HowToEnter({ mode, token }: { mode: SignUpMode; token: string }): ReactNode {
  const words = useWords(signInWords)
  if (mode === 'open' || (mode === 'invitation' && token !== ''))
    return (
      <span>
        {words.noAccount} <a href={`/sign-up${token}`}>{words.signUp}</a>
      </span>
    )
  return <span>{words.howToEnter[mode]}</span>
}
