import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { call, type Reply } from '../api/client.ts'
import { getPasskey, hasPasskeys } from '../api/passkey.ts'
import { type Action, refusalOf, useAction } from '../api/use-action.ts'
import { Button } from '../pieces/button.tsx'
import { Note } from '../pieces/card.tsx'
import { PasswordField, TextField } from '../pieces/field.tsx'
import { Form } from '../pieces/form.tsx'
import { ErrorState, Notice, Skeleton } from '../pieces/states.tsx'
import { Name } from '../words/personal.tsx'
import { isPhoneNumber } from '../words/phone.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { Failure } from './failure.tsx'
import { formClass, orClass, waysClass } from './panel.tsx'
import { signInWords } from './sign-in.words.ts'
import type { SignInReply } from './steps.tsx'
import { tokenOfPage } from './token.ts'

export type Methods = Reply<'GET /v1/sign-in/methods'>

/** What this server offers for signing in; `again` asks anew after a failure. */
export function useMethods(): { methods: Methods | undefined; error: unknown; again(): void } {
  const [methods, setMethods] = useState<Methods>()
  const [error, setError] = useState<unknown>()
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the round asks anew.
  useEffect(() => {
    const ended = new AbortController()
    setError(undefined)
    call('GET /v1/sign-in/methods', { signal: ended.signal })
      .then(setMethods)
      .catch((thrown: unknown) => !ended.signal.aborted && setError(thrown))
    return () => ended.abort()
  }, [round])
  return { methods, error, again: () => setRound(round + 1) }
}

interface FirstStepProps {
  email: string
  returnTo: string
  onReply(reply: SignInReply): void
  /** `isMessage`: by SMS, to the number that was typed. */
  onCodeSent(email: string, isMessage: boolean): void
  onMethods?: ((methods: Methods) => void) | undefined
}

export function FirstStep(props: FirstStepProps): ReactNode {
  const { methods, error, again } = useMethods()
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are told once.
  useEffect(() => {
    if (methods) props.onMethods?.(methods)
  }, [methods])
  if (error !== undefined) return <ErrorState error={error} onAgain={again} />
  if (!methods) return <Skeleton lines={5} onAgain={again} />
  return <FirstForm {...props} methods={methods} />
}

function FirstForm({
  methods,
  email: before,
  returnTo,
  onReply,
  onCodeSent,
}: FirstStepProps & { methods: Methods }): ReactNode {
  const words = useWords(signInWords)
  const [email, setEmail] = useState(before)
  const [password, setPassword] = useState('')
  const [isByCode, setByCode] = useState(!methods.password)
  const isPhone = methods.sms && isPhoneNumber(email)
  const enter = useAction(async () => {
    if (isPhone) {
      await call('POST /v1/sign-in/phone', { body: { phone: email } })
      return onCodeSent(email, true)
    }
    if (!isByCode) return onReply(await call('POST /v1/sign-in/password', { body: { email, password } }))
    await call('POST /v1/sign-in/code', { body: { email } })
    onCodeSent(email, false)
  })
  const passkey = useAction(async () => onReply(await signInByPasskey()))
  // Somebody new may enter by a provider that has proven the address of their invitation.
  const invitation = tokenOfPage(location.hash)
  const provider = useAction(async (id: string) => {
    const { url } = await call('POST /v1/sign-in/openid/{provider}', {
      params: { provider: id },
      body: { return_to: returnTo, ...(invitation !== undefined && { invitation }) },
    })
    location.assign(url)
  })
  const emailError =
    refusalOf(enter.error, 'email', ['EMAIL_INVALID']) ?? refusalOf(enter.error, 'phone', ['PHONE_INVALID'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    enter.run()
  }
  return (
    <>
      <Form className={formClass} onSubmit={submit}>
        <TextField
          label={methods.sms ? words.emailOrPhone : words.email}
          type={methods.sms ? 'text' : 'email'}
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
          name="email"
          autoComplete="username webauthn"
          isLtr
          autoFocus
          required
          value={email}
          onChange={setEmail}
          error={emailError}
          {...(isPhone && methods.password && { hint: words.phoneHint })}
        />
        {!isByCode && !isPhone && (
          <PasswordField
            label={words.password}
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={setPassword}
            aside={methods.mail && <a href="/recovery">{words.forgot}</a>}
          />
        )}
        {emailError === undefined && <Failure error={enter.error} />}
        <Button kind="primary" type="submit" isWide isBusy={enter.isBusy}>
          {isPhone ? words.sendMessage : isByCode ? words.sendCode : words.submit}
        </Button>
      </Form>
      <OtherWays
        methods={methods}
        isByCode={isByCode}
        canSwitch={methods.password && methods.code && !isPhone}
        onSwitch={() => {
          enter.clear()
          setByCode(!isByCode)
        }}
        passkey={passkey}
        provider={provider}
      />
      {!methods.mail && <Notice>{words.noMail}</Notice>}
    </>
  )
}

interface OtherWaysProps {
  methods: Methods
  isByCode: boolean
  /** Between password and code; to a phone only a code goes. */
  canSwitch: boolean
  onSwitch(): void
  passkey: Action<[]>
  provider: Action<[string]>
}

function OtherWays({ methods, isByCode, canSwitch, onSwitch, passkey, provider }: OtherWaysProps): ReactNode {
  const words = useWords(signInWords)
  const locale = useLocale()
  const hasPasskey = methods.passkey.available && hasPasskeys()
  if (!canSwitch && !hasPasskey && methods.openid.length === 0 && !methods.passkey.why) return null
  return (
    <>
      <div className={orClass}>{words.or}</div>
      <div className={waysClass}>
        {hasPasskey && (
          <Button isWide isBusy={passkey.isBusy} onClick={() => passkey.run()}>
            {words.byPasskey}
          </Button>
        )}
        {methods.openid.map(({ id, name }) => (
          <Button key={id} isWide isBusy={provider.isBusy} onClick={() => provider.run(id)}>
            <Name>{words.byProvider(name)}</Name>
          </Button>
        ))}
        {canSwitch && (
          <Button isWide onClick={onSwitch}>
            {isByCode ? words.byPassword : words.byCode}
          </Button>
        )}
        {methods.passkey.why && <Note>{methods.passkey.why[locale]}</Note>}
        <Failure error={passkey.error ?? provider.error} />
      </div>
    </>
  )
}

/** Asks for the options, lets the person choose a passkey, and has it verified. */
export async function signInByPasskey(): Promise<SignInReply> {
  const options = await call('POST /v1/sign-in/passkey/options')
  return call('POST /v1/sign-in/passkey', { body: { response: await getPasskey(options) } })
}
