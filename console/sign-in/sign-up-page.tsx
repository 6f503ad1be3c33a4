import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../api/client.ts'
import { refusalOf, useAction } from '../api/use-action.ts'
import { Button, buttonClass } from '../pieces/button.tsx'
import { PasswordField, TextField } from '../pieces/field.tsx'
import { Form } from '../pieces/form.tsx'
import { EmptyState, ErrorState, Skeleton } from '../pieces/states.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { CodeForm } from './code-step.tsx'
import { Failure } from './failure.tsx'
import { useMethods } from './first-step.tsx'
import { formClass, Panel } from './panel.tsx'
import { type SecondFactor, SecondStep } from './second-step.tsx'
import { signInWords } from './sign-in.words.ts'
import type { SignInReply } from './steps.tsx'
import { tokenOfPage } from './token.ts'

/** The page /sign-up. With the token of an invitation in its fragment it is open where sign-up is by invitation, too. */
export function SignUpPage(): ReactNode {
  const words = useWords(signInWords)
  const { methods, error, again } = useMethods()
  const invitation = tokenOfPage(location.hash)
  const mode = methods?.sign_up
  const isOpen = mode === 'open' || (mode === 'invitation' && invitation !== undefined)
  const below = (
    <span>
      {words.haveAccount} <a href={`/sign-in${returnQuery(invitation)}`}>{words.submit}</a>
    </span>
  )
  if (mode && mode !== 'open' && !isOpen)
    return (
      <Panel title={words.signUpTitle}>
        <EmptyState
          title={words.signUpClosed}
          action={
            <a className={buttonClass('plain')} href="/sign-in">
              {words.toSignIn}
            </a>
          }
        >
          {words.howToEnter[mode]}
        </EmptyState>
      </Panel>
    )
  return (
    <Panel title={words.signUpTitle} below={below}>
      {error !== undefined && <ErrorState error={error} onAgain={again} />}
      {!methods && error === undefined && <Skeleton lines={6} onAgain={again} />}
      {methods && <SignUpForm invitation={invitation} />}
    </Panel>
  )
}

const returnQuery = (invitation: string | undefined): string =>
  invitation === undefined ? '' : `?${new URLSearchParams({ return_to: '/link' })}#${invitation}`

function SignUpForm({ invitation }: { invitation: string | undefined }): ReactNode {
  const words = useWords(signInWords)
  const locale = useLocale()
  const [step, setStep] = useState<'form' | 'code' | readonly SecondFactor[]>('form')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const begin = async (): Promise<void> => {
    await call('POST /v1/sign-up', {
      body: {
        email,
        display_name: name,
        locale,
        ...(password !== '' && { password }),
        ...(invitation !== undefined && { invitation }),
      },
    })
    setStep('code')
  }
  const send = useAction(begin)
  const onReply = (reply: SignInReply): void => {
    if (reply.status === 'signed_in') location.replace('/')
    else setStep(reply.factors)
  }
  if (step === 'code')
    return (
      <CodeForm
        lead={words.signUpSent}
        email={email}
        onOther={() => setStep('form')}
        onAgain={begin}
        onConfirm={async (code) => onReply(await call('POST /v1/sign-up/confirm', { body: { email, code } }))}
      />
    )
  if (step !== 'form') return <SecondStep factors={step} onReply={onReply} />
  const refusals = {
    name: refusalOf(send.error, 'display_name'),
    email: refusalOf(send.error, 'email', ['EMAIL_INVALID']),
    password: refusalOf(send.error, 'password', ['PASSWORD_WEAK']),
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send.run()
  }
  return (
    <Form className={formClass} onSubmit={submit}>
      <TextField
        label={words.name}
        hint={words.nameHint}
        autoComplete="name"
        autoFocus
        required
        maxLength={100}
        value={name}
        onChange={setName}
        error={refusals.name}
      />
      <TextField
        label={words.email}
        type="email"
        autoComplete="email"
        isLtr
        required
        value={email}
        onChange={setEmail}
        error={refusals.email}
      />
      <PasswordField
        label={words.passwordOptional}
        hint={`${words.passwordHint} ${words.passwordOptionalHint}`}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        error={refusals.password}
      />
      {Object.values(refusals).every((one) => one === undefined) && <Failure error={send.error} />}
      <Button kind="primary" type="submit" isWide isBusy={send.isBusy}>
        {words.continue}
      </Button>
    </Form>
  )
}
