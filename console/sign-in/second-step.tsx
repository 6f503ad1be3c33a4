import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../api/client.ts'
import { Button, LinkButton } from '../pieces/button.tsx'
import { CodeField, TextField } from '../pieces/field.tsx'
import { useSentence } from '../pieces/states.tsx'
import { latinDigits } from '../words/digits.ts'
import { useWords } from '../words/use-words.ts'
import { signInByPasskey } from './first-step.tsx'
import { formClass, leadClass, pairClass } from './panel.tsx'
import { hasPasskeys, PasskeyStopped } from './passkey.ts'
import { signInWords } from './sign-in.words.ts'
import type { SignInReply } from './steps.tsx'
import { useAction } from './use-action.ts'

export type SecondFactor = 'totp' | 'passkey' | 'recovery_code'

interface SecondStepProps {
  factors: readonly SecondFactor[]
  onReply(reply: SignInReply): void
}

export function SecondStep({ factors, onReply }: SecondStepProps): ReactNode {
  const words = useWords(signInWords)
  const [code, setCode] = useState('')
  const [isRecovery, setRecovery] = useState(!factors.includes('totp'))
  const confirm = useAction(async (given: string) => {
    const body = isRecovery ? { recovery_code: latinDigits(given).trim() } : { code: given }
    onReply(await call('POST /v1/sign-in/second-factor', { body }))
  })
  const passkey = useAction(async () => onReply(await signInByPasskey()))
  const error = confirm.error ?? passkey.error
  const sentence = useSentence(error)
  const shown = error instanceof PasskeyStopped ? words.passkeyStopped : sentence
  const refusal = error === undefined ? undefined : shown
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    confirm.run(code)
  }
  const switchWay = (): void => {
    confirm.clear()
    setCode('')
    setRecovery(!isRecovery)
  }
  return (
    <form className={formClass} onSubmit={submit}>
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
      <div className={pairClass}>
        {factors.includes('recovery_code') && factors.includes('totp') && (
          <LinkButton onClick={switchWay}>{isRecovery ? words.useTotp : words.useRecovery}</LinkButton>
        )}
        {factors.includes('passkey') && hasPasskeys() && (
          <LinkButton onClick={() => passkey.run()}>{words.usePasskey}</LinkButton>
        )}
      </div>
    </form>
  )
}
