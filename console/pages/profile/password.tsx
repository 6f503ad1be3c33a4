/** The password of the person: set where there is none, or replaced. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { meQuery, queries, sessionsQuery } from '../../api/queries.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { PasswordField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { signInWords } from '../../sign-in/sign-in.words.ts'
import { useWords } from '../../words/use-words.ts'
import styles from './profile.module.css'
import { profileWords } from './profile.words.ts'

export function PasswordCard({
  hasPassword,
  email,
}: {
  hasPassword: boolean
  email: string | null
}): ReactNode {
  const words = useWords(profileWords)
  const { newPassword, passwordHint } = useWords(signInWords)
  const [password, setPassword] = useState('')
  const save = useAction(async () => {
    await call('PUT /v1/me/password', { body: { password } })
    setPassword('')
    void queries.invalidateQueries({ queryKey: meQuery.queryKey })
    void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    showToast(words.passwordSaved)
  })
  const refusal = refusalOf(save.error, 'password', ['PASSWORD_WEAK'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.run()
  }
  return (
    <Card title={words.password}>
      <p className={styles['soft']}>{hasPassword ? words.hasPassword : words.noPassword}</p>
      <Form className={styles['form']} onSubmit={submit}>
        {/* A password manager files the new password under this name. */}
        <input type="hidden" name="username" autoComplete="username" value={email ?? ''} />
        <PasswordField
          label={newPassword}
          hint={passwordHint}
          name="new-password"
          autoComplete="new-password"
          required
          value={password}
          onChange={setPassword}
          error={refusal}
        />
        {refusal === undefined && <Failure error={save.error} />}
        <Button type="submit" isBusy={save.isBusy}>
          {hasPassword ? words.changePassword : words.setPassword}
        </Button>
      </Form>
    </Card>
  )
}
