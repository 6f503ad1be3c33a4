import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { createPasskey } from '../../api/passkey.ts'
import { factorsQuery, queries } from '../../api/queries.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { useWords } from '../../words/use-words.ts'
import { factorWords } from './factors.words.ts'
import styles from './profile.module.css'

interface AddPasskeyProps {
  onCodes(codes: readonly string[]): void
  onClose(): void
}

/** Asks for a name, has the browser make the passkey, and adds it. */
export function AddPasskey({ onCodes, onClose }: AddPasskeyProps): ReactNode {
  const words = useWords(factorWords)
  const [name, setName] = useState('')
  const add = useAction(async () => {
    const options = await call('POST /v1/me/passkeys/options')
    const response = await createPasskey(options)
    const body = { response, ...(name.trim() !== '' && { name }) }
    const added = await call('POST /v1/me/passkeys', { body })
    await queries.invalidateQueries({ queryKey: factorsQuery.queryKey })
    if (added.recovery_codes) onCodes(added.recovery_codes)
    showToast(added.recovery_codes ? words.turnedOn : words.wasAdded)
    onClose()
  })
  const refusal = refusalOf(add.error, 'name')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    add.run()
  }
  return (
    <Dialog title={words.addPasskey} isOpen onClose={onClose}>
      <Form className={styles['form']} onSubmit={submit}>
        <TextField
          label={words.name}
          hint={words.passkeyNameHint}
          dir="auto"
          autoFocus
          maxLength={120}
          autoComplete="off"
          value={name}
          onChange={setName}
          error={refusal}
        />
        {refusal === undefined && <Failure error={add.error} />}
        <p className={styles['soft']}>{words.createNote}</p>
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={add.isBusy}>
            {words.create}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
