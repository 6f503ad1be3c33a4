import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../api/client.ts'
import { refusalOf, useAction } from '../api/use-action.ts'
import { Button } from '../pieces/button.tsx'
import { PasswordField, TextField } from '../pieces/field.tsx'
import { Form } from '../pieces/form.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { Failure } from './failure.tsx'
import { linkWords } from './link.words.ts'
import { formClass } from './panel.tsx'
import { signInWords } from './sign-in.words.ts'

interface NewPersonFormProps {
  token: string
  /** Whether the link is bound to an address already. */
  hasAddress: boolean
}

/** Name, address and password of somebody who comes in by a link that is worth the proof of an address. */
export function NewPersonForm({ token, hasAddress }: NewPersonFormProps): ReactNode {
  const words = useWords(signInWords)
  const links = useWords(linkWords)
  const locale = useLocale()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const create = useAction(async () => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    const person = { display_name: name, locale, time_zone: timeZone, ...(!hasAddress && { email }) }
    await call('POST /v1/links/redeem', { body: { token, password, person } })
    location.replace('/')
  })
  const refusals = {
    name: refusalOf(create.error, 'display_name'),
    email: refusalOf(create.error, 'email', ['EMAIL_INVALID', 'EMAIL_TAKEN']),
    password: refusalOf(create.error, 'password', ['PASSWORD_WEAK']),
  }
  const isOfForm = Object.values(refusals).every((one) => one === undefined)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.run()
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
      {!hasAddress && (
        <TextField
          label={words.email}
          type="email"
          autoComplete="username"
          isLtr
          required
          value={email}
          onChange={setEmail}
          error={refusals.email}
        />
      )}
      <PasswordField
        label={words.password}
        hint={words.passwordHint}
        autoComplete="new-password"
        required
        value={password}
        onChange={setPassword}
        error={refusals.password}
      />
      {isOfForm && <Failure error={create.error} />}
      <Button kind="primary" type="submit" isWide isBusy={create.isBusy}>
        {links.create}
      </Button>
    </Form>
  )
}
