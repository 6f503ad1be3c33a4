import { type FormEvent, type ReactNode, useState } from 'react'
import { call, type Reply } from '../api/client.ts'
import { refusalOf, useAction } from '../api/use-action.ts'
import { Button, buttonClass } from '../pieces/button.tsx'
import { PasswordField, TextField } from '../pieces/field.tsx'
import { Form } from '../pieces/form.tsx'
import { Notice } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { Failure } from './failure.tsx'
import { formClass, Panel } from './panel.tsx'
import { type SecondFactor, SecondStep } from './second-step.tsx'
import { signInWords } from './sign-in.words.ts'
import { tokenOfPage } from './token.ts'

/** The page /recovery: asks for the address; with the token of the mailed link in its fragment, for the new password. */
export function RecoveryPage(): ReactNode {
  const words = useWords(signInWords)
  const token = tokenOfPage(location.hash)
  if (token !== undefined)
    return (
      <Panel title={words.resetTitle} lead={words.resetLead}>
        <NewPasswordForm
          onSave={(password) => call('POST /v1/recovery/confirm', { body: { token, password } })}
        />
      </Panel>
    )
  return (
    <Panel
      title={words.recoveryTitle}
      lead={words.recoveryLead}
      below={<a href="/sign-in">{words.toSignIn}</a>}
    >
      <AddressForm />
    </Panel>
  )
}

function AddressForm(): ReactNode {
  const words = useWords(signInWords)
  const [email, setEmail] = useState('')
  const [isSent, setSent] = useState(false)
  const send = useAction(async () => {
    await call('POST /v1/recovery', { body: { email } })
    setSent(true)
  })
  const refusal = refusalOf(send.error, 'email', ['EMAIL_INVALID'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send.run()
  }
  if (isSent) return <Notice kind="good">{words.recoverySent}</Notice>
  return (
    <Form className={formClass} onSubmit={submit}>
      <TextField
        label={words.email}
        type="email"
        autoComplete="username"
        isLtr
        autoFocus
        required
        value={email}
        onChange={setEmail}
        error={refusal}
      />
      {refusal === undefined && <Failure error={send.error} />}
      <Button kind="primary" type="submit" isWide isBusy={send.isBusy}>
        {words.recoverySend}
      </Button>
    </Form>
  )
}

interface NewPasswordFormProps {
  onSave(password: string): Promise<Reply<'POST /v1/links/redeem'>>
}

/** A new password. Where the server does not sign in by it, the person does; a second factor is asked for in any case. */
export function NewPasswordForm({ onSave }: NewPasswordFormProps): ReactNode {
  const words = useWords(signInWords)
  const [password, setPassword] = useState('')
  const [saved, setSaved] = useState<'done' | readonly SecondFactor[]>()
  const onReply = (reply: Reply<'POST /v1/links/redeem'>): void => {
    if (reply.status === 'signed_in') location.replace('/')
    else setSaved(reply.status === 'done' ? 'done' : reply.factors)
  }
  const save = useAction(async () => {
    const reply = await onSave(password)
    history.replaceState(null, '', location.pathname)
    onReply(reply)
  })
  const refusal = refusalOf(save.error, 'password', ['PASSWORD_WEAK'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.run()
  }
  if (saved !== undefined && saved !== 'done') return <SecondStep factors={saved} onReply={onReply} />
  if (saved === 'done')
    return (
      <>
        <Notice kind="good">{words.saved}</Notice>
        <a className={buttonClass('primary', true)} href="/sign-in">
          {words.submit}
        </a>
      </>
    )
  return (
    <Form className={formClass} onSubmit={submit}>
      <PasswordField
        label={words.newPassword}
        hint={words.passwordHint}
        autoComplete="new-password"
        autoFocus
        required
        value={password}
        onChange={setPassword}
        error={refusal}
      />
      {refusal === undefined && <Failure error={save.error} />}
      <Button kind="primary" type="submit" isWide isBusy={save.isBusy}>
        {words.save}
      </Button>
    </Form>
  )
}
