import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { useUndo } from '../../pieces/use-undo.ts'
import { useWords } from '../../words/use-words.ts'
import { accountWords } from './account.words.ts'
import { type Account, noteAccount } from './queries.ts'

export function NameDialog({ of, onClose }: { of: Account; onClose(): void }): ReactNode {
  const words = useWords(accountWords)
  const { projectId } = useAccount()
  const queries = useQueryClient()
  const showSaved = useUndo()
  const [before] = useState(of.name)
  const [name, setName] = useState(before)
  const [isTried, setTried] = useState(false)
  const isEmpty = name.trim() === ''
  const set = async (to: string): Promise<void> =>
    noteAccount(queries, projectId, await call('PATCH /v1/account', { body: { name: to } }))
  const action = useAction(async () => {
    await set(name.trim())
    showSaved(words.accountName, () => set(before))
    onClose()
  })
  const sentence = useSentence(action.error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (!isEmpty) action.run()
  }
  const error = isTried && isEmpty ? words.needName : refusalOf(action.error, 'name')
  return (
    <Dialog title={words.changeOf(words.accountName)} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <TextField
          label={words.accountName}
          error={error}
          dir="auto"
          autoComplete="off"
          maxLength={120}
          data-autofocus
          value={name}
          onChange={setName}
        />
        {action.error !== undefined && error === undefined && <Notice kind="failure">{sentence}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={action.isBusy}>
            {words.save}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
