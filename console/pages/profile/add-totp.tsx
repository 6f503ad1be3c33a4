import { type FormEvent, type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { factorsQuery, queries } from '../../api/queries.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { CopyButton } from '../../pieces/copy-button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { CodeField, TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { useSentence } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { useWords } from '../../words/use-words.ts'
import { factorWords } from './factors.words.ts'
import styles from './profile.module.css'
import { inGroups } from './recovery-text.ts'

type Begun = Reply<'POST /v1/me/factors/totp'>

interface AddTotpProps {
  onCodes(codes: readonly string[]): void
  onClose(): void
}

/** A name, then the secret for the app, then the first code of the app. */
export function AddTotp({ onCodes, onClose }: AddTotpProps): ReactNode {
  const words = useWords(factorWords)
  const [begun, setBegun] = useState<Begun>()
  const onAdded = async (codes: readonly string[] | null): Promise<void> => {
    await queries.invalidateQueries({ queryKey: factorsQuery.queryKey })
    if (codes) onCodes(codes)
    showToast(codes ? words.turnedOn : words.wasAdded)
    onClose()
  }
  return (
    <Dialog title={words.addTotp} isOpen onClose={onClose}>
      {begun ? (
        <SecretStep begun={begun} onAdded={onAdded} />
      ) : (
        <NameStep onBegun={setBegun} onClose={onClose} />
      )}
    </Dialog>
  )
}

function NameStep({ onBegun, onClose }: { onBegun(begun: Begun): void; onClose(): void }): ReactNode {
  const words = useWords(factorWords)
  const [name, setName] = useState('')
  const begin = useAction(async () =>
    onBegun(await call('POST /v1/me/factors/totp', { body: name.trim() === '' ? {} : { name } })),
  )
  const refusal = refusalOf(begin.error, 'name')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    begin.run()
  }
  return (
    <Form className={styles['form']} onSubmit={submit}>
      <TextField
        label={words.name}
        hint={words.totpNameHint}
        dir="auto"
        autoFocus
        maxLength={120}
        autoComplete="off"
        value={name}
        onChange={setName}
        error={refusal}
      />
      {refusal === undefined && <Failure error={begin.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button kind="primary" type="submit" isBusy={begin.isBusy}>
          {words.continue}
        </Button>
      </DialogActions>
    </Form>
  )
}

interface SecretStepProps {
  begun: Begun
  onAdded(codes: readonly string[] | null): Promise<void>
}

function SecretStep({ begun: { id, secret, qr }, onAdded }: SecretStepProps): ReactNode {
  const words = useWords(factorWords)
  const [code, setCode] = useState('')
  const confirm = useAction(async (given: string) => {
    const added = await call('POST /v1/me/factors/{id}/confirm', {
      params: { id },
      body: { code: given },
    }).catch((error: unknown) => {
      setCode('')
      throw error
    })
    await onAdded(added.recovery_codes)
  })
  const sentence = useSentence(confirm.error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (code.length === 6) confirm.run(code)
  }
  return (
    <Form className={styles['steps']} onSubmit={submit}>
      <p>{words.scan}</p>
      <div className={styles['qr']}>
        <svg
          viewBox={`0 0 ${qr.size} ${qr.size}`}
          role="img"
          aria-label={words.qr}
          shapeRendering="crispEdges"
        >
          <path d={qr.path} fill="currentColor" />
        </svg>
      </div>
      <p>{words.orSecret}</p>
      <div className={styles['secret']}>
        <code>{inGroups(secret)}</code>
        <CopyButton text={secret} />
      </div>
      <CodeField
        label={words.thenCode}
        autoFocus
        value={code}
        onChange={setCode}
        onComplete={(given) => confirm.run(given)}
        error={confirm.error === undefined ? undefined : sentence}
      />
      <Button kind="primary" type="submit" isWide isBusy={confirm.isBusy}>
        {words.confirm}
      </Button>
    </Form>
  )
}
