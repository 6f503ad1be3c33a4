import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../api/client.ts'
import { useAction } from '../api/use-action.ts'
import { Button, LinkButton } from '../pieces/button.tsx'
import { CodeField } from '../pieces/field.tsx'
import { useSentence } from '../pieces/states.tsx'
import { Ltr } from '../words/personal.tsx'
import { useWords } from '../words/use-words.ts'
import { formClass, leadClass, pairClass } from './panel.tsx'
import { signInWords } from './sign-in.words.ts'
import type { SignInReply } from './steps.tsx'

interface CodeFormProps {
  lead: string
  email: string
  onConfirm(code: string): Promise<void>
  onAgain(): Promise<void>
  /** Another address, where one may be chosen. */
  onOther?: () => void
}

/** The field for a code that was sent to an address. The sixth digit sends it. */
export function CodeForm({ lead, email, onConfirm, onAgain, onOther }: CodeFormProps): ReactNode {
  const words = useWords(signInWords)
  const [code, setCode] = useState('')
  const confirm = useAction(async (given: string) => {
    await onConfirm(given).catch((error: unknown) => {
      setCode('')
      throw error
    })
  })
  const again = useAction(onAgain)
  const error = confirm.error ?? again.error
  const sentence = useSentence(error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (code.length === 6) confirm.run(code)
  }
  return (
    <form className={formClass} onSubmit={submit}>
      <p className={leadClass}>
        {lead} <Ltr>{email}</Ltr>
      </p>
      <CodeField
        label={words.code}
        autoFocus
        value={code}
        onChange={setCode}
        onComplete={(given) => confirm.run(given)}
        error={error === undefined ? undefined : sentence}
      />
      <Button kind="primary" type="submit" isWide isBusy={confirm.isBusy}>
        {words.confirm}
      </Button>
      <div className={pairClass}>
        <LinkButton onClick={() => again.run()}>{words.sendAgain}</LinkButton>
        {onOther && <LinkButton onClick={onOther}>{words.otherEmail}</LinkButton>}
      </div>
    </form>
  )
}

interface CodeStepProps {
  email: string
  onReply(reply: SignInReply): void
  onOther(): void
}

export function CodeStep({ email, onReply, onOther }: CodeStepProps): ReactNode {
  const words = useWords(signInWords)
  return (
    <CodeForm
      lead={words.codeSent}
      email={email}
      onOther={onOther}
      onConfirm={async (code) =>
        onReply(await call('POST /v1/sign-in/code/confirm', { body: { email, code } }))
      }
      onAgain={async () => {
        await call('POST /v1/sign-in/code', { body: { email } })
      }}
    />
  )
}
