import { type FormEvent, type ReactNode, useState } from 'react'
import { refusalOf, useAction } from '../api/use-action.ts'
import { useWords } from '../words/use-words.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'
import { pieceWords } from './pieces.words.ts'
import { Notice, useSentence } from './states.tsx'
import { useUndo } from './use-undo.ts'

interface NameDialogProps {
  title: string
  /** Of the field, and of what the message says is saved. */
  label: string
  /** The name until now. */
  name: string
  /** Gives it another name, and shows that on the page. */
  rename(to: string): Promise<void>
  onClose(): void
}

/** Asks for another name. For ten seconds the message that it is saved can bring back the former one. */
export function NameDialog({ title, label, name, rename, onClose }: NameDialogProps): ReactNode {
  const words = useWords(pieceWords)
  const showSaved = useUndo()
  // The dialog keeps the name as it was when it opened, whatever is read again meanwhile.
  const [before] = useState(name)
  const [typed, setTyped] = useState(before)
  const action = useAction(async () => {
    const to = typed.trim()
    if (to !== before) {
      await rename(to)
      showSaved(label, () => rename(before))
    }
    onClose()
  })
  const sentence = useSentence(action.error)
  const refusal = refusalOf(action.error, 'name')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    action.run()
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <TextField
          label={label}
          error={refusal}
          dir="auto"
          autoComplete="off"
          autoFocus
          required
          maxLength={120}
          value={typed}
          onChange={setTyped}
        />
        {action.error !== undefined && refusal === undefined && <Notice kind="failure">{sentence}</Notice>}
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
