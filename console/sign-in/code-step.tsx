import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { call } from '../api/client.ts'
import { useAction } from '../api/use-action.ts'
import { Button, LinkButton } from '../pieces/button.tsx'
import { CodeField } from '../pieces/field.tsx'
import { Form } from '../pieces/form.tsx'
import { useSentence } from '../pieces/states.tsx'
import { formatNumber, persianDigits } from '../words/digits.ts'
import { Ltr } from '../words/personal.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { readMessageCode } from './message-code.ts'
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
  /** The code comes by SMS: the browser may read it, and another one is sent after a minute at the earliest. */
  isMessage?: boolean
}

/** Between two text messages to one number pass so many seconds at least. */
const pauseSeconds = 60

/** The field for a code that was sent to an address. The sixth digit sends it. */
export function CodeForm({
  lead,
  email,
  onConfirm,
  onAgain,
  onOther,
  isMessage = false,
}: CodeFormProps): ReactNode {
  const words = useWords(signInWords)
  const locale = useLocale()
  const [code, setCode] = useState('')
  const confirm = useAction(async (given: string) => {
    await onConfirm(given).catch((error: unknown) => {
      setCode('')
      throw error
    })
  })
  const [waits, setWaits] = useState(isMessage ? pauseSeconds : 0)
  const again = useAction(async () => {
    await onAgain()
    if (isMessage) setWaits(pauseSeconds)
  })
  useCountdown(waits, setWaits)
  useMessageCode(isMessage, (given) => {
    setCode(given)
    confirm.run(given)
  })
  const error = confirm.error ?? again.error
  const sentence = useSentence(error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (code.length === 6) confirm.run(code)
  }
  return (
    <Form className={formClass} onSubmit={submit}>
      <p className={leadClass}>
        {lead} <Ltr>{isMessage && locale === 'fa' ? persianDigits(email) : email}</Ltr>
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
        <AgainButton waits={waits} onAgain={() => again.run()} />
        {onOther && (
          <LinkButton onClick={onOther}>{isMessage ? words.otherPhone : words.otherEmail}</LinkButton>
        )}
      </div>
    </Form>
  )
}

function AgainButton({ waits, onAgain }: { waits: number; onAgain(): void }): ReactNode {
  const words = useWords(signInWords)
  const locale = useLocale()
  if (waits > 0) return <span>{words.againIn(formatNumber(locale, waits))}</span>
  return <LinkButton onClick={onAgain}>{words.sendAgain}</LinkButton>
}

/** Counts seconds down to zero. */
function useCountdown(seconds: number, set: (seconds: number) => void): void {
  useEffect(() => {
    if (seconds === 0) return
    const timer = setTimeout(() => set(seconds - 1), 1_000)
    return () => clearTimeout(timer)
  }, [seconds, set])
}

/** Hands in the code of the text message that comes, where the browser reads it. */
function useMessageCode(isMessage: boolean, onCode: (code: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: one message is waited for.
  useEffect(() => {
    if (!isMessage) return
    const ended = new AbortController()
    void readMessageCode(ended.signal).then((code) => code !== undefined && onCode(code))
    return () => ended.abort()
  }, [isMessage])
}

interface CodeStepProps {
  /** An address of mail, or a phone number. */
  email: string
  isMessage: boolean
  onReply(reply: SignInReply): void
  onOther(): void
}

export function CodeStep({ email, isMessage, onReply, onOther }: CodeStepProps): ReactNode {
  const words = useWords(signInWords)
  if (isMessage)
    return (
      <CodeForm
        isMessage
        lead={words.messageSent}
        email={email}
        onOther={onOther}
        onConfirm={async (code) =>
          onReply(await call('POST /v1/sign-in/phone/confirm', { body: { phone: email, code } }))
        }
        onAgain={async () => {
          await call('POST /v1/sign-in/phone', { body: { phone: email } })
        }}
      />
    )
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
