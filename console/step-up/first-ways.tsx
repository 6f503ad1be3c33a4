/** The forms of the first factors: a password, a code by e-mail, a provider of OpenID Connect. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/client.ts'
import { factorsQuery, queries } from '../api/queries.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../pieces/button.tsx'
import { PasswordField } from '../pieces/field.tsx'
import { Form } from '../pieces/form.tsx'
import { Notice, useSentence } from '../pieces/states.tsx'
import { CodeForm } from '../sign-in/code-step.tsx'
import { formClass, leadClass } from '../sign-in/panel.tsx'
import { Ltr } from '../words/personal.tsx'
import { useWords } from '../words/use-words.ts'
import { stepUpWords } from './step-up.words.ts'

/** Where a second factor was added meanwhile, the factors are read anew, so that the dialog asks for it. */
function noteChangedFactors(error: unknown): never {
  if (error instanceof ApiError && error.code === 'SECOND_FACTOR_NEEDED')
    void queries.invalidateQueries({ queryKey: factorsQuery.queryKey })
  throw error
}

export function PasswordWay({ onDone }: { onDone(): void }): ReactNode {
  const words = useWords(stepUpWords)
  const [password, setPassword] = useState('')
  const confirm = useAction(async () => {
    await call('POST /v1/step-up/password', { body: { password } }).catch(noteChangedFactors)
    onDone()
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    confirm.run()
  }
  return (
    <Form className={formClass} onSubmit={submit}>
      <PasswordField
        label={words.password}
        name="password"
        autoComplete="current-password"
        autoFocus
        required
        value={password}
        onChange={setPassword}
      />
      <WayFailure error={confirm.error} />
      <Button kind="primary" type="submit" isWide isBusy={confirm.isBusy}>
        {words.confirm}
      </Button>
    </Form>
  )
}

export function CodeWay({ email, onDone }: { email: string; onDone(): void }): ReactNode {
  const words = useWords(stepUpWords)
  const [isSent, setSent] = useState(false)
  const send = async (): Promise<void> => {
    await call('POST /v1/step-up/code').catch(noteChangedFactors)
    setSent(true)
  }
  const first = useAction(send)
  if (isSent)
    return (
      <CodeForm
        lead={words.codeSent}
        email={email}
        onAgain={send}
        onConfirm={async (code) => {
          await call('POST /v1/step-up/code/confirm', { body: { code } }).catch(noteChangedFactors)
          onDone()
        }}
      />
    )
  return (
    <div className={formClass}>
      <p className={leadClass}>
        {words.codeTo} <Ltr>{email}</Ltr>
      </p>
      <WayFailure error={first.error} />
      <Button
        kind="primary"
        isWide
        autoFocus
        data-autofocus
        isBusy={first.isBusy}
        onClick={() => first.run()}
      >
        {words.sendCode}
      </Button>
    </div>
  )
}

/**
 * The provider asks for a factor on its own page and leads back here; the factor counts for ten minutes then. What was typed on the page is lost by that,
 * so the form says it before.
 */
export function OpenidWay({ provider, name }: { provider: string; name: string }): ReactNode {
  const words = useWords(stepUpWords)
  const leave = useAction(async () => {
    const { url } = await call('POST /v1/step-up/openid/{provider}', {
      params: { provider },
      body: { return_to: location.pathname + location.search },
    })
    location.assign(url)
  })
  return (
    <div className={formClass}>
      <Notice kind="attention">{words.leaves(name)}</Notice>
      <WayFailure error={leave.error} />
      <Button
        kind="primary"
        isWide
        autoFocus
        data-autofocus
        isBusy={leave.isBusy}
        onClick={() => leave.run()}
      >
        {words.byProvider(name)}
      </Button>
    </div>
  )
}

/** The refusal in the words of the API; where another try does not help, with the page on which the person sees what they have. */
function WayFailure({ error }: { error: unknown }): ReactNode {
  const words = useWords(stepUpWords)
  const sentence = useSentence(error)
  if (error === undefined) return null
  const isForGood = error instanceof ApiError && error.status !== 401 && error.status !== 429
  return (
    <Notice kind="failure">
      {sentence} {isForGood && <a href="/profile?tab=factors">{words.security}</a>}
    </Notice>
  )
}
