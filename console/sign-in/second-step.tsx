import { type FormEvent, type ReactNode, useState } from 'react'
import { type Body, call } from '../api/client.ts'
import { hasPasskeys } from '../api/passkey.ts'
import { useAction } from '../api/use-action.ts'
import { Button, LinkButton } from '../pieces/button.tsx'
import { CodeField, TextField } from '../pieces/field.tsx'
import { Form } from '../pieces/form.tsx'
import { Notice, useSentence } from '../pieces/states.tsx'
import { latinDigits } from '../words/digits.ts'
import { useWords } from '../words/use-words.ts'
import { Failure } from './failure.tsx'
import { signInByPasskey } from './first-step.tsx'
import { formClass, leadClass, pairClass } from './panel.tsx'
import { signInWords } from './sign-in.words.ts'
import type { SignInReply } from './steps.tsx'

export type SecondFactor = 'totp' | 'passkey' | 'recovery_code'

interface SecondFormProps {
  /** What the person has, in the order in which it is offered. */
  factors: readonly SecondFactor[]
  onCode(body: Body<'POST /v1/sign-in/second-factor'>): Promise<void>
  onPasskey(): Promise<void>
}

/** Asks for one of the second factors of a person; the others are a press away. */
export function SecondForm({ factors, onCode, onPasskey }: SecondFormProps): ReactNode {
  const words = useWords(signInWords)
  const ways = factors.filter((factor) => factor !== 'passkey' || hasPasskeys())
  const [way, setWay] = useState(ways[0])
  if (way === undefined) return <Notice kind="attention">{words.noSecond}</Notice>
  const texts = { totp: words.useTotp, recovery_code: words.useRecovery, passkey: words.usePasskey }
  const others = ways.filter((one) => one !== way)
  return (
    <>
      {way === 'passkey' ? (
        <PasskeyForm onPasskey={onPasskey} />
      ) : (
        <TypedForm key={way} way={way} onCode={onCode} />
      )}
      {others.length > 0 && (
        <div className={pairClass}>
          {others.map((one) => (
            <LinkButton key={one} onClick={() => setWay(one)}>
              {texts[one]}
            </LinkButton>
          ))}
        </div>
      )}
    </>
  )
}

export function PasskeyForm({ onPasskey }: Pick<SecondFormProps, 'onPasskey'>): ReactNode {
  const words = useWords(signInWords)
  const confirm = useAction(onPasskey)
  return (
    <div className={formClass}>
      <p className={leadClass}>{words.secondPasskey}</p>
      <Failure error={confirm.error} />
      <Button
        kind="primary"
        isWide
        autoFocus
        data-autofocus
        isBusy={confirm.isBusy}
        onClick={() => confirm.run()}
      >
        {words.usePasskey}
      </Button>
    </div>
  )
}

interface TypedFormProps extends Pick<SecondFormProps, 'onCode'> {
  way: Exclude<SecondFactor, 'passkey'>
}

function TypedForm({ way, onCode }: TypedFormProps): ReactNode {
  const words = useWords(signInWords)
  const [code, setCode] = useState('')
  const isRecovery = way === 'recovery_code'
  const confirm = useAction((given: string) =>
    onCode(isRecovery ? { recovery_code: latinDigits(given).trim() } : { code: given }),
  )
  const sentence = useSentence(confirm.error)
  const refusal = confirm.error === undefined ? undefined : sentence
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    confirm.run(code)
  }
  return (
    <Form className={formClass} onSubmit={submit}>
      <p className={leadClass}>{isRecovery ? words.secondRecovery : words.secondTotp}</p>
      {isRecovery ? (
        <TextField
          label={words.recoveryCode}
          isLtr
          autoFocus
          required
          autoComplete="off"
          value={code}
          onChange={setCode}
          error={refusal}
        />
      ) : (
        <CodeField
          label={words.code}
          autoFocus
          value={code}
          onChange={setCode}
          onComplete={(given) => confirm.run(given)}
          error={refusal}
        />
      )}
      <Button kind="primary" type="submit" isWide isBusy={confirm.isBusy}>
        {words.confirm}
      </Button>
    </Form>
  )
}

interface SecondStepProps {
  factors: readonly SecondFactor[]
  onReply(reply: SignInReply): void
}

/** The second step of a sign-in. */
export const SecondStep = ({ factors, onReply }: SecondStepProps): ReactNode => (
  <SecondForm
    factors={factors}
    onCode={async (body) => onReply(await call('POST /v1/sign-in/second-factor', { body }))}
    onPasskey={async () => onReply(await signInByPasskey())}
  />
)
