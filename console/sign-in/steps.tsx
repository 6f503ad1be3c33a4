/**
 * The way from nothing to a session: a first factor, then where the person has one a second. The light pages and the dialog of the shell use the
 * same steps.
 */
import { type ReactNode, useState } from 'react'
import type { Reply } from '../api/client.ts'
import { LinkButton } from '../pieces/button.tsx'
import { useWords } from '../words/use-words.ts'
import { CodeStep } from './code-step.tsx'
import { FirstStep, type Methods } from './first-step.tsx'
import { type SecondFactor, SecondStep } from './second-step.tsx'
import { signInWords } from './sign-in.words.ts'

export type SignInReply = Reply<'POST /v1/sign-in/password'>

export type Step =
  | { name: 'first'; email: string }
  | { name: 'code'; email: string; isMessage: boolean }
  | { name: 'second'; factors: readonly SecondFactor[] }

interface StepsProps {
  /** Where a provider of OpenID Connect leads back to. */
  returnTo: string
  onSignedIn(): void
  /** Is told the step, whose words stand in the title of the page or of the dialog. */
  onStep?(step: Step): void
  /** Is told what this server offers, as soon as it is known. */
  onMethods?: ((methods: Methods) => void) | undefined
}

export function Steps({ returnTo, onSignedIn, onStep, onMethods }: StepsProps): ReactNode {
  const words = useWords(signInWords)
  const [step, setStep] = useState<Step>({ name: 'first', email: '' })
  const go = (next: Step): void => {
    setStep(next)
    onStep?.(next)
  }
  const onReply = (reply: SignInReply): void => {
    if (reply.status === 'signed_in') onSignedIn()
    else go({ name: 'second', factors: reply.factors })
  }
  if (step.name === 'second')
    return (
      <>
        <SecondStep factors={step.factors} onReply={onReply} />
        <LinkButton onClick={() => go({ name: 'first', email: '' })}>{words.otherEmail}</LinkButton>
      </>
    )
  if (step.name === 'code')
    return (
      <CodeStep
        email={step.email}
        isMessage={step.isMessage}
        onReply={onReply}
        onOther={() => go({ name: 'first', email: step.email })}
      />
    )
  return (
    <FirstStep
      email={step.email}
      returnTo={returnTo}
      onMethods={onMethods}
      onReply={onReply}
      onCodeSent={(email, isMessage) => go({ name: 'code', email, isMessage })}
    />
  )
}
