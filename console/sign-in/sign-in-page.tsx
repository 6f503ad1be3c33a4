import { type ReactNode, useState } from 'react'
import { useWords } from '../words/use-words.ts'
import { Panel } from './panel.tsx'
import { returnPath } from './return-path.ts'
import { signInWords } from './sign-in.words.ts'
import { type Step, Steps } from './steps.tsx'
import { tokenOfPage } from './token.ts'

export function SignInPage(): ReactNode {
  const words = useWords(signInWords)
  const [step, setStep] = useState<Step['name']>('first')
  const [isOpen, setOpen] = useState(false)
  const to = returnPath(location)
  const hasToken = tokenOfPage(location.hash) !== undefined
  const titles = { first: words.title, code: words.codeTitle, second: words.secondTitle }
  return (
    <Panel
      title={titles[step]}
      below={
        step === 'first' &&
        isOpen && (
          <span>
            {words.noAccount} <a href={`/sign-up${hasToken ? location.hash : ''}`}>{words.signUp}</a>
          </span>
        )
      }
    >
      <Steps
        returnTo={to}
        onMethods={({ sign_up: signUp }) =>
          setOpen(signUp === 'open' || (signUp === 'invitation' && hasToken))
        }
        onSignedIn={() => location.replace(to)}
        onStep={({ name }) => setStep(name)}
      />
    </Panel>
  )
}
