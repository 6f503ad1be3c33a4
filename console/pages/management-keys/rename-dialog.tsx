import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { useUndo } from '../../pieces/use-undo.ts'
import { useWords } from '../../words/use-words.ts'
import { managementWords } from './management-keys.words.ts'
import { type ManagementKey, noteManagementKey } from './queries.ts'

export function RenameDialog({ of, onClose }: { of: ManagementKey; onClose(): void }): ReactNode {
  const words = useWords(managementWords)
  const { projectId } = useAccount()
  const queries = useQueryClient()
  const showSaved = useUndo()
  const [before] = useState(of.name)
  const [name, setName] = useState(before)
  const [isTried, setTried] = useState(false)
  const isEmpty = name.trim() === ''
  const set = async (to: string): Promise<void> => {
    const change = { params: { id: of.id }, body: { name: to } }
    noteManagementKey(queries, projectId, await call('PATCH /v1/management-keys/{id}', change))
  }
  const action = useAction(async () => {
    await set(name.trim())
    showSaved(words.renamed, () => set(before))
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
    <Dialog title={words.rename} isOpen onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <TextField
          label={words.renamed}
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
      </form>
    </Dialog>
  )
}
